import { signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { PersonActions } from '../../app/inspected/act.ts'
import type { AgentSummary } from '../../run/agent-summary.ts'
import { act, get } from './api.ts'
import { agentPath } from './route.ts'

/** Whether the page was started with `--allow-actions`. */
export const mayAct = signal(false)

export function useMayAct(): void {
  useEffect(() => {
    get<{ actions: boolean }>('agents?most=1').then(
      ({ actions }) => {
        mayAct.value = actions
      },
      () => {},
    )
  }, [])
}

type Done = Awaited<ReturnType<PersonActions>>

/** What a person does from the page, one thing after the other, and what came of the last. */
export interface Acting {
  readonly busy: boolean
  readonly done: Done | undefined
  ask(what: Record<string, string>): Promise<void>
}

export function useActing(id: string, changed: () => void): Acting {
  const done = useSignal<Done | undefined>(undefined)
  const busy = useSignal(false)
  return {
    busy: busy.value,
    done: done.value,
    async ask(what) {
      busy.value = true
      done.value = await act(id, what).catch((thrown: Error) => ({ said: thrown.message }))
      busy.value = false
      changed()
    },
  }
}

export const Came = ({ done }: { readonly done: Done | undefined }) => (
  <p class={`came${done ? '' : ' unseen'}`} role="status">
    {done?.said} {done?.agent !== undefined && <a href={agentPath(done.agent)}>Open it</a>}
  </p>
)

/**
 * Words to an agent: while it is at work it takes them in at its next turn; when it is stuck they are the answer that it
 * goes on from. One that has handed in its result takes in nothing.
 */
export function SpeakForm({
  agent: { agent_id: id, outcome, reason },
  acting: { busy, ask },
}: {
  readonly agent: AgentSummary
  readonly acting: Acting
}) {
  const text = useSignal('')
  const isStuck = outcome === 'failed' && reason !== 'submitted' && reason !== 'imported'
  if (outcome !== 'open' && !isStuck) return null
  if (!mayAct.value)
    return (
      <p class="say note">
        {isStuck ? 'It waits for help. Answer it with ' : 'It is at work. Speak to it with '}
        <code>{isStuck ? `twotrack escalate ${id} --answer -` : `twotrack say ${id} "…"`}</code>, or start
        this page with <code>--allow-actions</code>.
      </p>
    )
  return (
    <form
      class="say"
      onSubmit={async (event) => {
        event.preventDefault()
        if (text.value.trim() === '') return
        await ask({ do: isStuck ? 'answer' : 'say', text: text.value })
        text.value = ''
      }}
    >
      <label for="say">{isStuck ? 'Answer the agent' : 'Say to the agent'}</label>
      <textarea
        id="say"
        rows={1}
        value={text.value}
        placeholder={isStuck ? 'What should it do next?' : 'It reads this at its next turn'}
        onInput={(event) => {
          text.value = event.currentTarget.value
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey) return
          event.preventDefault()
          event.currentTarget.form?.requestSubmit()
        }}
      />
      <button type="submit" class="main" disabled={busy}>
        {isStuck ? 'Answer' : 'Say'}
      </button>
      {isStuck && (
        <button type="button" disabled={busy} onClick={() => ask({ do: 'retry' })}>
          Try again
        </button>
      )}
    </form>
  )
}
