import { useSignal } from '@preact/signals'
import type { DiffLine } from '../../app/inspected/turn.ts'
import { visible } from '../../audit/visible.ts'
import { counted } from './words.ts'

const SIGN = { same: ' ', added: '+', removed: '−' } as const
/** Lines around a change that are shown; more of the same are folded. */
const AROUND = 2

/** Lines that came and went; what stayed is folded. */
export function DiffLines({ lines, what }: { readonly lines: readonly DiffLine[]; readonly what: string }) {
  const open = useSignal(false)
  const added = lines.filter(({ kind }) => kind === 'added').length
  const removed = lines.filter(({ kind }) => kind === 'removed').length
  if (added + removed === 0) return <p class="empty small">{what}</p>
  return (
    <>
      <p class="bar small">
        <span class="plus">+{added}</span> <span class="minus">−{removed}</span> lines
        <button
          type="button"
          class="quiet"
          aria-pressed={open.value}
          onClick={() => (open.value = !open.value)}
        >
          {open.value ? 'Only what changed' : 'All lines'}
        </button>
      </p>
      <div class="lines diff" role="group" tabIndex={0} aria-label="Lines that changed">
        {(open.value ? lines.map((line) => ({ line })) : folded(lines)).map((one, at) =>
          'left' in one ? (
            <div key={at} class="line fold">
              {counted(one.left, 'line')} the same
            </div>
          ) : (
            <div key={at} class={`line ${one.line.kind}`}>
              <i aria-hidden="true">{SIGN[one.line.kind]}</i>
              {one.line.kind !== 'same' && <span class="unseen">{one.line.kind}: </span>}
              {visible(one.line.text) || ' '}
            </div>
          ),
        )}
      </div>
    </>
  )
}

function folded(lines: readonly DiffLine[]): ({ readonly line: DiffLine } | { readonly left: number })[] {
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ kind }) => kind !== 'same'),
  )
  const rows: ({ line: DiffLine } | { left: number })[] = []
  for (const [at, line] of lines.entries()) {
    const last = rows.at(-1)
    if (near[at]) rows.push({ line })
    else if (last && 'left' in last) last.left++
    else rows.push({ left: 1 })
  }
  return rows
}

/** A patch as git prints it. */
export const Patch = ({ text }: { readonly text: string }) => (
  <div class="lines diff patch" role="group" tabIndex={0} aria-label="Patch">
    {text
      .trimEnd()
      .split('\n')
      .filter((line) => !/^(?:diff --git|index |Index: |=====)/.test(line))
      .map((line, at) => (
        <div key={at} class={`line ${patchClass(line)}`}>
          {visible(line) || ' '}
        </div>
      ))}
  </div>
)

function patchClass(line: string): string {
  if (/^(?:---|\+\+\+) /.test(line)) return 'file'
  if (line.startsWith('@@')) return 'fold'
  if (line.startsWith('+')) return 'added'
  return line.startsWith('-') ? 'removed' : 'same'
}
