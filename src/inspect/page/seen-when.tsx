import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Spot } from '../../audit/blindspots/spot.ts'
import { get } from './api.ts'
import { go } from './route.ts'
import { turnsText } from './words.ts'

/** Which packets showed what is pointed at. */
export function SeenWhen({
  path,
  seen,
  spots,
}: {
  readonly path: string
  readonly seen: Signal<readonly number[]>
  readonly spots: readonly Spot[]
}) {
  const said = useSignal('Looking through all packets…')
  const turns = useSignal<readonly number[]>([])
  useEffect(() => {
    const gone = new AbortController()
    get<number[]>(path, gone.signal).then(
      (found) => {
        turns.value = found
        seen.value = found
        said.value =
          found.length > 0
            ? `Shown in the packets of turns ${turnsText(found)}.`
            : 'No packet ever showed this.'
      },
      (thrown: Error) => {
        if (!gone.signal.aborted) said.value = thrown.message
      },
    )
    return () => gone.abort()
  }, [path])
  const [first] = turns.value
  const last = turns.value.at(-1)
  return (
    <p class={`source${turns.value.length === 0 && spots.length > 0 ? ' missed' : ''}`} role="status">
      {said.value}{' '}
      {first !== undefined && (
        <button type="button" class="quiet" onClick={() => go({ turn: first })}>
          First
        </button>
      )}
      {last !== undefined && last !== first && (
        <button type="button" class="quiet" onClick={() => go({ turn: last })}>
          Last
        </button>
      )}
    </p>
  )
}
