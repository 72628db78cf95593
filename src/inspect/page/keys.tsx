import { useEffect } from 'preact/hooks'
import type { TimelineTurn } from '../../app/inspected/overview.ts'
import { go } from './route.ts'

export const isBad = ({ calls, faults }: Pick<TimelineTurn, 'calls' | 'faults'>): boolean =>
  faults > 0 || calls.some(({ outcome }) => outcome === 'error')

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)

/** A slash leads to the search field of whatever page there is. */
export function listenForSearch(): void {
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || isTyping(event)) return
    event.preventDefault()
    document.getElementById('search')?.focus()
  })
}

/** Left and right go through time; `n` and `p` to the next and the last turn in which something failed. */
export function useKeys(turns: readonly TimelineTurn[], turn: number): void {
  useEffect(() => {
    const last = turns.at(-1)?.turn ?? 0
    const failed = turns.filter(isBad).map((one) => one.turn)
    const to: Readonly<Record<string, () => number | undefined>> = {
      ArrowLeft: () => Math.max(0, turn - 1),
      ArrowRight: () => Math.min(last, turn + 1),
      Home: () => 0,
      End: () => last,
      n: () => failed.find((one) => one > turn),
      p: () => failed.findLast((one) => one < turn),
    }
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (isTyping(event) || !Object.hasOwn(to, event.key)) return
      const next = to[event.key]?.()
      if (next === undefined) return
      event.preventDefault()
      go({ turn: next, see: undefined, line: undefined })
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [turns, turn])
}
