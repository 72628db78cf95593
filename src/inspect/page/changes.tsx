import type { InspectedChange } from '../../app/inspected/changes.ts'
import { useAnswer } from './api.ts'
import { Patch } from './diff.tsx'
import { Failure, Waiting } from './frame.tsx'
import { agentPath } from './route.ts'
import { type Acting, mayAct } from './say.tsx'
import { counted } from './words.ts'

/** What the agent proposes to change, and what became of it. */
export function ChangesView({
  base,
  id,
  again,
  acting,
}: {
  readonly base: string
  readonly id: string
  readonly again: number
  readonly acting: Acting
}) {
  const { value, error } = useAnswer<readonly InspectedChange[]>(`${base}/changes`, again)
  if (error !== undefined) return <Failure text={error} />
  if (!value) return <Waiting what="Reading what was proposed…" />
  const open = value.filter(({ standing }) => standing === 'proposed')
  if (value.length === 0)
    return (
      <div class="empty">
        <h2>No changes are proposed</h2>
        <p>
          An agent of Twotrack works on a copy and proposes its changes at its end. A run that was imported
          changed files elsewhere: <a href={agentPath(id)}>what its calls changed</a>.
        </p>
      </div>
    )
  return (
    <section class="changes" aria-label="Proposed changes">
      {open.length > 0 && <Decide id={id} files={open.length} acting={acting} />}
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
  acting: { busy, ask },
}: {
  readonly id: string
  readonly files: number
  readonly acting: Acting
}) {
  if (!mayAct.value)
    return (
      <p class="note">
        {counted(files, 'file')} proposed. Take {files === 1 ? 'it' : 'them'} with{' '}
        <code>twotrack accept {id}</code>, or start this page with <code>--allow-actions</code>.
      </p>
    )
  const decide = (what: 'accept' | 'reject' | 'retry', words: string, name = '') => (
    <button type="button" class={name} disabled={busy} onClick={() => ask({ do: what })}>
      {words}
    </button>
  )
  return (
    <p class="decide">
      {decide('accept', `Accept ${counted(files, 'file')}`, 'main')}
      {decide('reject', 'Reject')}
      {decide('retry', 'Reject and try again')}
    </p>
  )
}
