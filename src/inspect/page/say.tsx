import { signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { act, get } from './api.ts'

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

/** A word to an agent that is at work: it takes it in at its next turn. */
export function SayForm({ id }: { readonly id: string }) {
  const text = useSignal('')
  const said = useSignal('')
  if (!mayAct.value)
    return (
      <p class="say note">
        It is at work. Speak to it with <code>twotrack say {id} "…"</code>, or start this page with{' '}
        <code>--allow-actions</code>.
      </p>
    )
  return (
    <form
      class="say"
      onSubmit={async (event) => {
        event.preventDefault()
        if (text.value.trim() === '') return
        said.value = await act(id, { do: 'say', text: text.value }).catch((thrown: Error) => thrown.message)
        text.value = ''
      }}
    >
      <label for="say">Say to the agent</label>
      <input
        id="say"
        value={text.value}
        placeholder="It reads this at its next turn"
        onInput={(event) => {
          text.value = event.currentTarget.value
        }}
      />
      <button type="submit" class="main">
        Say
      </button>
      <span role="status">{said.value}</span>
    </form>
  )
}
