import { useLayoutEffect } from 'preact/hooks'
import type { Turn } from '../../app/turns.ts'
import { go, route } from './route.ts'

export const isBad = ({ calls, faults }: Pick<Turn, 'calls' | 'faults'>): boolean =>
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
export function useKeys(turns: readonly Turn[]): void {
  // Before anything is drawn: a key that comes right after it is of these turns.
  useLayoutEffect(() => {
    const last = turns.at(-1)?.turn ?? 0
    // As the address says now: keys may come faster than the page is drawn.
    const at = () => Math.min(route.value.turn ?? last, last)
    const failed = turns.filter(isBad).map((one) => one.turn)
    const to: Readonly<Record<string, () => number | undefined>> = {
      ArrowLeft: () => Math.max(0, at() - 1),
      ArrowRight: () => Math.min(last, at() + 1),
      Home: () => 0,
      End: () => last,
      n: () => failed.find((one) => one > at()),
      p: () => failed.findLast((one) => one < at()),
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
  }, [turns])
}
