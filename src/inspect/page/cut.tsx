import { useSignal } from '@preact/signals'
import { visible } from '../../audit/visible.ts'

/** A long text begins, with so many lines of it; a click shows all. */
export function CutText({ text, lines = 14 }: { readonly text: string; readonly lines?: 1 | 4 | 14 }) {
  const open = useSignal(false)
  const whole = visible(text.trim())
  const isLong = whole.length > lines * 90 || whole.split('\n').length > lines
  const isCut = isLong && !open.value
  return (
    <div class="text">
      <p class={isCut ? `cut${lines}` : ''}>{isCut && lines === 1 ? whole.replace(/\s+/g, ' ') : whole}</p>
      {isLong && (
        <button
          type="button"
          class="quiet"
          aria-expanded={open.value}
          onClick={() => (open.value = !open.value)}
        >
          {open.value ? 'Less' : 'All of it'}
        </button>
      )}
    </div>
  )
}
