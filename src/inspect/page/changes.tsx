import { useSignal } from '@preact/signals'
import type { InspectedChange } from '../../app/inspected/changes.ts'
import { act, useAnswer } from './api.ts'
import { Patch } from './diff.tsx'
import { Failure, Waiting } from './frame.tsx'
import { mayAct } from './say.tsx'
import { counted } from './words.ts'

/** What the agent proposes to change, and what became of it. */
export function ChangesView({
  base,
  id,
  again,
}: {
  readonly base: string
  readonly id: string
  readonly again: number
}) {
  const decided = useSignal(0)
  const { value, error } = useAnswer<readonly InspectedChange[]>(`${base}/changes`, again + decided.value)
  if (error !== undefined) return <Failure text={error} />
  if (!value) return <Waiting what="Reading what was proposed…" />
  const open = value.filter(({ standing }) => standing === 'proposed')
  if (value.length === 0)
    return (
      <div class="empty">
        <h2>No changes are proposed</h2>
        <p>
          An agent of Twotrack works on a copy and proposes its changes at its end. A run that was imported
          changed files elsewhere: what it edited stands in its calls.
        </p>
      </div>
    )
  return (
    <section class="changes" aria-label="Proposed changes">
      {open.length > 0 && <Decide id={id} files={open.length} done={() => decided.value++} />}
      {value.map(({ path, standing, by, patch, absent }, at) => (
        <article key={`${path} ${at}`}>
          <h3>
            {path}{' '}
            <span class={`tag ${standing}`}>{by === undefined ? standing : `${standing} by ${by}`}</span>
          </h3>
          {patch === undefined ? <p class="note">{absent}</p> : <Patch text={patch} />}
        </article>
      ))}
    </section>
  )
}

function Decide({
  id,
  files,
  done,
}: {
  readonly id: string
  readonly files: number
  readonly done: () => void
}) {
  const said = useSignal('')
  if (!mayAct.value)
    return (
      <p class="note">
        {counted(files, 'file')} proposed. Take them with <code>twotrack accept {id}</code>, or start this
        page with <code>--allow-actions</code>.
      </p>
    )
  const decide = (what: 'accept' | 'reject' | 'retry') => async () => {
    said.value = '…'
    said.value = await act(id, { do: what }).catch((thrown: Error) => thrown.message)
    done()
  }
  return (
    <p class="decide">
      <button type="button" class="main" onClick={decide('accept')}>
        Accept {counted(files, 'file')}
      </button>
      <button type="button" onClick={decide('reject')}>
        Reject
      </button>
      <button type="button" onClick={decide('retry')}>
        Reject and try again
      </button>
      <span role="status">{said.value}</span>
    </p>
  )
}
