import type { ComponentChild } from 'preact'
import { visible } from '../../audit/visible.ts'
import { escapesIn } from '../../text/escapes.ts'

/** How text is styled after a few colour codes. */
interface Style {
  color?: number
  back?: number
  bold?: boolean
  dim?: boolean
  italic?: boolean
  under?: boolean
}

const COLOUR = /^\x1b\[([\d;]*)m$/

/** A line with its colours as a terminal shows them. Other escapes do nothing and are left out; what is unseen is shown. */
export function ColouredLine({ text }: { readonly text: string }): ComponentChild {
  if (!text.includes('\x1b')) return visible(text)
  const parts: ComponentChild[] = []
  let style: Style = {}
  let from = 0
  const add = (to: number) => {
    if (to > from) parts.push(<span class={classOf(style)}>{visible(text.slice(from, to))}</span>)
  }
  for (const sequence of escapesIn(text)) {
    add(sequence.from)
    from = sequence.to
    const codes = COLOUR.exec(text.slice(sequence.from, sequence.to))?.[1]
    if (codes !== undefined) style = styled(style, codes.split(';').map(Number))
  }
  add(text.length)
  return parts
}

function styled(before: Style, codes: readonly number[]): Style {
  let style = { ...before }
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0
    if (code === 0) style = {}
    else if (code === 1) style.bold = true
    else if (code === 2) style.dim = true
    else if (code === 3) style.italic = true
    else if (code === 4) style.under = true
    else if (code === 22) style = without(style, 'bold', 'dim')
    else if (code === 23) style = without(style, 'italic')
    else if (code === 24) style = without(style, 'under')
    else if (code >= 30 && code <= 37) style.color = code - 30
    else if (code >= 90 && code <= 97) style.color = code - 82
    else if (code === 39) style = without(style, 'color')
    else if (code >= 40 && code <= 47) style.back = code - 40
    else if (code === 49) style = without(style, 'back')
    // 256 colours and true colour: their first sixteen, and otherwise none.
    else if (code === 38 || code === 48) {
      const index = codes[at + 1] === 5 ? codes[at + 2] : undefined
      if (index !== undefined && index < 16) style[code === 38 ? 'color' : 'back'] = index
      at += codes[at + 1] === 5 ? 2 : 4
    }
  }
  return style
}

function without(style: Style, ...names: (keyof Style)[]): Style {
  const left = { ...style }
  for (const name of names) delete left[name]
  return left
}

const classOf = ({ color, back, bold, dim, italic, under }: Style): string =>
  [
    color === undefined ? '' : `fg${color}`,
    back === undefined ? '' : `bg${back % 8}`,
    bold ? 'bold' : '',
    dim ? 'dim' : '',
    italic ? 'italic' : '',
    under ? 'under' : '',
  ]
    .filter((name) => name !== '')
    .join(' ')
