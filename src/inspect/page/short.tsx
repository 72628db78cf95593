import { useSignal } from '@preact/signals'
import type { ComponentChild, ComponentChildren } from 'preact'
import type { Overview } from '../../app/inspected/overview.ts'
import type { AtTurn, InShort } from '../../app/inspected/short.ts'
import type { BlindSpots } from '../../audit/blindspots/spot.ts'
import { visible } from '../../audit/visible.ts'
import { type Loaded, useAnswer } from './api.ts'
import { BlindSpot } from './blind.tsx'
import { CutText } from './cut.tsx'
import { Failure, Waiting } from './frame.tsx'
import { agentPath, go, route } from './route.ts'

const SPOTS = 4

/** A run for whoever opens it first: each answer leads to the turn behind it. */
export function ShortView({
  base,
  overview: { agent },
  again,
  blind,
}: {
  readonly base: string
  readonly overview: Overview
  readonly again: number
  readonly blind: Loaded<BlindSpots>
}) {
  const { value, error } = useAnswer<InShort>(`${base}/short`, again)
  if (error !== undefined) return <Failure text={error} />
  if (!value) return <Waiting what="Reading the run…" />
  const { task, person, end, last, changed, problems, failed, concluded } = value
  const folder = folderOf(changed.map(({ path }) => path))
  const spots = blind.value?.spots.slice(0, SPOTS) ?? []
  const words = end.text !== '' && (
    <div key="words">
      <Place turn={end.turn} />
      <CutText text={end.text} />
    </div>
  )
  const lastCall = last !== undefined && (
    <div key="call" class="last">
      <Place turn={last.turn} />
      <CutText text={`Its last call: ${last.text}`} lines={4} />
    </div>
  )
  return (
    <div class="short">
      <div>
        <Part title="What was wanted" isEmpty={task === ''} nothing="No task was recorded.">
          <CutText text={task} />
        </Part>
        <Part
          title={agent.outcome === 'open' ? 'What it said last' : 'How it ended'}
          isEmpty={end.text === '' && last === undefined}
          nothing={agent.outcome === 'open' ? 'Nothing yet.' : 'It ended without a word.'}
        >
          {/* Words that the agent went on after for several turns are not how it ended. */}
          {last !== undefined && last.turn > end.turn + 1 ? [lastCall, words] : [words, lastCall]}
        </Part>
        {person.length > 0 && (
          <Part title="What people said later" count={person.length}>
            <Entries of={person.toReversed()} />
          </Part>
        )}
        {concluded.length > 0 && (
          <Part title="What it found out" count={concluded.length}>
            <Entries of={concluded.toReversed()} />
          </Part>
        )}
      </div>
      <div>
        <Part
          title="What it changed"
          count={changed.length}
          isEmpty={changed.length === 0}
          nothing="No file, as far as its calls tell."
        >
          {folder !== '' && <p class="none">in {visible(folder)}</p>}
          <Some
            of={changed.toReversed().map(({ path, text, said, turn }) => (
              <li key={path}>
                <Place turn={turn} />
                <b class="path">{visible(path.slice(folder.length))}</b> <small>{visible(text)}</small>
                {said.length > 0 && <p>{visible(said.at(-1) ?? '')}</p>}
              </li>
            ))}
          />
        </Part>
        <Part
          title="What failed"
          count={failed.length}
          isEmpty={failed.length === 0}
          nothing="Nothing failed."
        >
          <Entries of={failed} />
        </Part>
        {problems.length > 0 && (
          <Part title="Problems that its tools still reported" count={problems.length}>
            <ul class="problems">
              {problems.map((text) => (
                <li key={text}>{visible(text)}</li>
              ))}
            </ul>
          </Part>
        )}
        <Part
          title="What the packets did not show"
          count={blind.value?.spots.length ?? 0}
          isEmpty={spots.length === 0}
          nothing={
            blind.value
              ? 'Nothing that mattered, as far as its calls tell.'
              : 'Comparing outputs with packets…'
          }
        >
          <ol class="blindlist">
            {spots.map((spot) => (
              <BlindSpot key={`${spot.seq} ${spot.line} ${spot.turn}`} spot={spot} />
            ))}
          </ol>
          {(blind.value?.spots.length ?? 0) > SPOTS && (
            <button type="button" class="quiet" onClick={() => go({ mode: 'blind' }, true)}>
              All of them
            </button>
          )}
        </Part>
      </div>
    </div>
  )
}

function Part({
  title,
  count = 0,
  isEmpty = false,
  nothing,
  children,
}: {
  readonly title: string
  readonly count?: number
  readonly isEmpty?: boolean
  readonly nothing?: string
  readonly children: ComponentChildren
}) {
  return (
    <section>
      <h2>
        {title} {count > 1 && <small>{count}</small>}
      </h2>
      {isEmpty ? <p class="none">{nothing}</p> : children}
    </section>
  )
}

const Place = ({ turn }: { readonly turn: number }) => (
  <a class="place" href={agentPath(route.value.agent ?? '', turn)} title="Open this turn">
    turn {turn}
  </a>
)

const ENTRIES = 8
/** A shorter folder is said with each file. */
const FOLDER_CHARS_MIN = 20

type Entry = AtTurn & { readonly times?: number }

const Entries = ({ of }: { readonly of: readonly Entry[] }) => (
  <Some
    of={of.map(({ turn, text, times = 1 }, at) => (
      <li key={at}>
        <Place turn={turn} />
        <CutText text={text} lines={4} />
        {times > 1 && <small>{times} times, the last in this turn</small>}
      </li>
    ))}
  />
)

/** The first of them; the rest is a click away. */
function Some({ of }: { readonly of: readonly ComponentChild[] }) {
  const all = useSignal(false)
  return (
    <>
      <ul>{all.value ? of : of.slice(0, ENTRIES)}</ul>
      {of.length > ENTRIES && (
        <button type="button" class="quiet" onClick={() => (all.value = !all.value)}>
          {all.value ? 'Fewer' : `${of.length - ENTRIES} more`}
        </button>
      )}
    </>
  )
}

/** The folder that all of these files are in. */
function folderOf(paths: readonly string[]): string {
  const [first = '', ...rest] = paths.map((path) => path.replace(/[^/\\]*$/, ''))
  let folder = first
  while (rest.some((path) => !path.startsWith(folder))) folder = folder.replace(/[^/\\]*[/\\]$/, '')
  return folder.length > FOLDER_CHARS_MIN ? folder : ''
}
