import type { TranscriptPart } from '../../audit/transcript.ts'
import { ColouredLine } from './ansi.tsx'
import { useAnswer } from './api.ts'
import { CutText } from './cut.tsx'
import { Failure, Waiting } from './frame.tsx'
import { agentPath, route } from './route.ts'
import { counted } from './words.ts'

/** One thing that was said; or a call with what came back, which is folded. */
type Entry =
  | { readonly said: TranscriptPart }
  | { readonly call: TranscriptPart; readonly result: TranscriptPart | undefined }

/** The conversation as a person reads it. */
export function ChatView({ base, again }: { readonly base: string; readonly again: number }) {
  const { value, error } = useAnswer<readonly TranscriptPart[]>(`${base}/chat`, again)
  if (error !== undefined) return <Failure text={error} />
  if (!value) return <Waiting what="Reading the conversation…" />
  return (
    <ol class="chat" aria-label="Conversation">
      {entriesOf(value).map((entry) => {
        const first = 'said' in entry ? entry.said : entry.call
        return (
          <li key={`${first.seq} ${first.what}`} class={'said' in entry ? first.who : 'tool'}>
            <a class="place" href={agentPath(route.value.agent ?? '', first.turn)} title="Open this turn">
              turn {first.turn}
            </a>
            {'said' in entry ? <Said part={entry.said} /> : <Called {...entry} />}
          </li>
        )
      })}
    </ol>
  )
}

/** Results stand with their calls, in the order in which the calls were made. */
function entriesOf(parts: readonly TranscriptPart[]): Entry[] {
  const entries: { said?: TranscriptPart; call?: TranscriptPart; result?: TranscriptPart | undefined }[] = []
  for (const part of parts) {
    const isCall = part.who === 'model' && part.what.startsWith('calls ')
    const open = entries.find(
      ({ call, result }) => call && !result && part.what.startsWith(`${call.what.slice('calls '.length)} `),
    )
    if (isCall) entries.push({ call: part, result: undefined })
    else if (part.who === 'tool' && open) open.result = part
    else entries.push({ said: part })
  }
  return entries as Entry[]
}

function Said({ part: { who, what, text, form, failed, redacted } }: { readonly part: TranscriptPart }) {
  return (
    <div class={`said${failed ? ' failed' : ''}`}>
      <h3>
        {who} <small>{redacted ? `${what}, redacted` : what}</small>
      </h3>
      {form === 'code' ? <Code text={text} /> : <CutText text={text} />}
    </div>
  )
}

function Called({
  call,
  result,
}: {
  readonly call: TranscriptPart
  readonly result: TranscriptPart | undefined
}) {
  const name = call.what.slice('calls '.length)
  const [first = ''] = call.text.split('\n')
  return (
    <details class={result?.failed ? 'failed' : ''}>
      <summary>
        <span class={`kind ${result === undefined ? '' : result.failed ? 'bad' : 'ok'}`} aria-hidden="true" />
        <b>{name}</b> <code>{first.replace(/^\w+: /, '')}</code>
        <small>
          {toldOf(result, name)}
          {(call.redacted || result?.redacted) && <em class="redacted"> redacted</em>}
        </small>
      </summary>
      <h4>Arguments</h4>
      <Code text={call.text} />
      {result && (
        <>
          <h4>Result</h4>
          <Code text={result.text} />
        </>
      )}
    </details>
  )
}

/** That a call was answered is seen; how much came back, or that it failed, is not. */
function toldOf(result: TranscriptPart | undefined, name: string): string {
  if (!result) return 'no result'
  const what = result.what.slice(name.length + 1).replace(/^answers(?: after)?\b/, '')
  const [, hidden] = /^⋮ ([\d,]+) more lines$/m.exec(result.text) ?? []
  const left = hidden === undefined ? 0 : Number(hidden.replaceAll(',', '')) - 1
  const lines = result.text.split('\n').length + left
  const size = result.text === '[no output]' ? 'no output' : counted(lines, 'line')
  return [size, what.trim()].filter(Boolean).join(', ')
}

const Code = ({ text }: { readonly text: string }) => (
  <pre tabIndex={0}>
    {text.split('\n').map((line, at) => (
      <div key={at}>
        <ColouredLine text={line} />
        {line === '' && ' '}
      </div>
    ))}
  </pre>
)
