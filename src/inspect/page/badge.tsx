import { useSignal } from '@preact/signals'
import type { Verified } from '../../audit/verified.ts'
import { useAnswer } from './api.ts'
import { counted } from './words.ts'

/** Whether the log is what was recorded, and what was checked to say so. */
export function VerifyBadge({ path, again }: { readonly path: string; readonly again: string }) {
  const open = useSignal(false)
  const { value, error } = useAnswer<Verified>(path, again, true)
  const { name, word } = error === undefined ? verdictOf(value) : NOT_CHECKED
  return (
    <div class="verify">
      <button
        type="button"
        class={`badge ${name}`}
        aria-expanded={open.value}
        onClick={() => (open.value = !open.value)}
      >
        {word}
      </button>
      {open.value && (
        <div class="popover" role="status">
          {error !== undefined && <p>{error}</p>}
          {value && <Checked verified={value} />}
        </div>
      )}
    </div>
  )
}

const NOT_CHECKED = { name: 'bad', word: 'Not checked' }

/** A log whose prompts could not be made again is not verified. */
function verdictOf(value: Verified | undefined): { readonly name: string; readonly word: string } {
  if (!value) return { name: 'busy', word: 'Checking…' }
  if (!value.ok) return { name: 'bad', word: 'Damaged' }
  return value.unknown_view === undefined
    ? { name: 'ok', word: 'Verified' }
    : { name: 'part', word: 'Prompts not checked' }
}

function Checked({ verified }: { readonly verified: Verified }) {
  const { events, prompts, blobs, accepted, pruned, findings, head, unknown_view } = verified
  return (
    <>
      <ul>
        <li>
          Each of {counted(events, 'event')} has the digest that it was recorded with and follows from the one
          before.
        </li>
        <li>
          {prompts === 0
            ? 'No prompt was recorded: this run was made elsewhere.'
            : unknown_view === undefined
              ? `${counted(prompts, 'prompt')} made again from the events before: the packets are those that were sent.`
              : `${counted(prompts, 'prompt')} not checked: shown in the view ${unknown_view}, which is not known here. The version that wrote them can.`}
        </li>
        {blobs > 0 && <li>{counted(blobs, 'blob')} read whole and compared with their digests.</li>}
        {accepted > 0 && <li>{counted(accepted, 'accepted file')} follow from what was proposed.</li>}
        {pruned > 0 && (
          <li>{counted(pruned, 'raw part')} removed on purpose; the packets were checked all the same.</li>
        )}
      </ul>
      {findings.map(({ level, what, where }) => (
        <p key={what + where} class={level}>
          <b>{level}</b> {where}: {what}
        </p>
      ))}
      {head && (
        <p>
          <small>
            Head #{head.seq} <code>{head.hash.slice(0, 16)}…</code>
          </small>
        </p>
      )}
    </>
  )
}
