import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

/** How large an element is, as that changes; looked for again when `when` does. */
export function useSize(
  box: RefObject<Element | null>,
  first: { readonly width: number; readonly height: number },
  when: unknown = undefined,
): Signal<{ readonly width: number; readonly height: number }> {
  const size = useSignal(first)
  useEffect(() => {
    const measured = new ResizeObserver(([entry]) => {
      if (entry) size.value = { width: entry.contentRect.width, height: entry.contentRect.height }
    })
    if (box.current) measured.observe(box.current)
    return () => measured.disconnect()
  }, [when])
  return size
}
