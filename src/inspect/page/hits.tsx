import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Looked, TextHit } from '../../app/inspected/search.ts'
import { visible } from '../../audit/visible.ts'
import { each } from './api.ts'
import { Failure } from './frame.tsx'
import { agentPath } from './route.ts'
import { counted, number } from './words.ts'

/** Where raw output holds a text, as it is found. */
export function SearchHits({ text, agent }: { readonly text: string; readonly agent?: string }) {
  const hits = useSignal<readonly TextHit[]>([])
  const looked = useSignal<Looked | undefined>(undefined)
  const state = useSignal<'looking' | 'done' | string>('looking')
  useEffect(() => {
    const gone = new AbortController()
    hits.value = []
    state.value = 'looking'
    looked.value = undefined
    const path = agent === undefined ? 'search' : `agent/${encodeURIComponent(agent)}/find`
    ;(async () => {
      for await (const found of each<TextHit | Looked>(
        `${path}?text=${encodeURIComponent(text)}`,
        gone.signal,
      ))
        if ('seq' in found) hits.value = [...hits.peek(), found]
        else looked.value = found
      state.value = 'done'
    })().catch((thrown: Error) => {
      if (!gone.signal.aborted) state.value = thrown.message
    })
    return () => gone.abort()
  }, [text, agent])
  const isOver = state.value !== 'looking'
  if (isOver && state.value !== 'done') return <Failure text={state.value} />
  return (
    <section class="hits" aria-label="Places in raw output">
      <p class="total" role="status">
        {counted(hits.value.length, 'place')}
        {!isOver && `, still looking${howFar(looked.value)}…`}
        {isOver && hits.value.length === 0 && '. Words are found by their beginning; try a shorter one.'}
      </p>
      <ul>
        {hits.value.map((hit) => (
          <li key={`${hit.agent_id} ${hit.seq} ${hit.at}`}>
            <a
              href={`${agentPath(hit.agent_id, hit.turn)}?see=${hit.seq}.${hit.part}.${hit.at}-${hit.at + hit.length}`}
            >
              <small>
                {agent === undefined && `${hit.agent_id} · `}turn {hit.turn} · #{hit.seq}
              </small>
              <code>
                <Marked line={visible(hit.line)} text={text} />
              </code>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

const howFar = (looked: Looked | undefined): string =>
  looked && looked.of > 1 ? `: ${number(looked.looked)} of ${counted(looked.of, 'agent')}` : ''

function Marked({ line, text }: { readonly line: string; readonly text: string }) {
  const parts = []
  let from = 0
  const [lower, wanted] = [line.toLowerCase(), text.toLowerCase()]
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    parts.push(line.slice(from, at))
    from = at + text.length
    parts.push(<mark>{line.slice(at, from)}</mark>)
  }
  return (
    <>
      {parts}
      {line.slice(from)}
    </>
  )
}
