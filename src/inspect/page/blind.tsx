import type { Blame, BlindSpots, Harm, Spot } from '../../audit/blindspots/spot.ts'
import { visible } from '../../audit/visible.ts'
import type { Loaded } from './api.ts'
import { Failure, Waiting } from './frame.tsx'
import { agentPath, route } from './route.ts'
import { counted, number } from './words.ts'

const HARM: Readonly<Record<Harm['kind'], string>> = {
  call_failed: 'a call that needed it failed',
  asked_again: 'it was asked for again',
  named: 'a call named it',
  failed_after: 'the next calls failed',
}

/** What raw output said and the packet did not show when it mattered, the worst first. */
export function BlindList({ answer: { value, error } }: { readonly answer: Loaded<BlindSpots> }) {
  if (error !== undefined) return <Failure text={error} />
  if (!value) return <Waiting what="Comparing what outputs said with what packets showed…" />
  const { decisions, blind, names_needed, names_missed, spots, pruned } = value
  return (
    <section class="blindlist" aria-label="Blind spots">
      <p class="note">
        {blind === 0
          ? `All ${counted(decisions, 'decision')} were made with everything that mattered in sight.`
          : `${number(blind)} of ${counted(decisions, 'decision')} were made without something that raw output had said. `}
        {names_needed > 0 &&
          `Calls took ${counted(names_needed, 'name')} from outputs; ${number(names_missed)} were not in the packet.`}
        {pruned > 0 && ` ${counted(pruned, 'output')} were pruned: what they said can’t be known.`}
      </p>
      <ol>
        {spots.map((spot) => (
          <BlindSpot key={`${spot.seq} ${spot.line} ${spot.turn}`} spot={spot} />
        ))}
      </ol>
    </section>
  )
}

export const BlindSpot = ({ spot }: { readonly spot: Spot }) => (
  <li>
    <a href={`${agentPath(route.value.agent ?? '', spot.turn)}?see=${spot.seq}.raw_output&spot=${spot.line}`}>
      <small>
        turn {spot.turn} · #{spot.seq} line {spot.line} · {spot.kind.replace('_', ' ')}
      </small>
      <code>{visible(spot.text)}</code>
      <span>
        {sentence(spot)} <small>{blameText(spot.blame)}</small>
      </span>
    </a>
  </li>
)

function sentence({ harm, names }: Spot): string {
  const kinds = [...new Set(harm.map(({ kind }) => HARM[kind]))].join(', ')
  const calls = [...new Set(harm.map(({ seq }) => `#${seq}`))].slice(0, 4).join(', ')
  const needed = names.length > 0 ? `: ${names.slice(0, 5).join(', ')}` : ''
  if (kinds === '') return 'Nothing shows that it mattered.'
  return `${kinds.charAt(0).toUpperCase()}${kinds.slice(1)} (${calls})${needed}.`
}

function blameText(blame: Blame): string {
  switch (blame.by) {
    case 'summarizer':
      return `Left out by the summarizer ${blame.name}.`
    case 'cap':
      return `Forgotten: over the limit ${blame.name}.`
    case 'replaced':
      return `Replaced since in ${blame.name}.`
    case 'view':
      return `Known, but cut from the packet (${blame.name}).`
  }
}
