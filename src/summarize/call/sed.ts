import type { FileChange } from '../../core/event/delta.ts'

/** A substitution in so few characters may stand on a line more than once: without `g` only the first is replaced. */
const SURE_CHARS_MIN = 8
/** `s/pattern/replacement/flags`, whatever parts them. */
const SUBSTITUTION = /^s([/|#@,!~])((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1(g?)$/s

/** What `sed -i SCRIPT FILE…` does to its files where every script is `s/old/new/` with plain text or names lines; else none. */
export function sedChanges(args: readonly string[]): FileChange[] {
  const special = args.some((arg) => /^-[ni]*[Er]/.test(arg)) ? /[*[\]^$(){}+?|]/ : /[*[\]^$]/
  const given = args.flatMap((arg, at) => (args[at - 1] === '-e' ? [arg] : []))
  const words = args.filter((arg, at) => !arg.startsWith('-') && args[at - 1] !== '-e')
  const scripts = given.length > 0 ? given : words.slice(0, 1)
  const paths = given.length > 0 ? words : words.slice(1)
  const changes = scripts.map((script) => atLines(script, special) ?? substitution(script, special))
  const sure = changes.flatMap((change) => change ?? [])
  // Numbers of a second script would be those before the first.
  if (sure.length < changes.length || (sure.length > 1 && sure.some(({ kind }) => kind === 'lines')))
    return []
  return paths.flatMap((path) => sure.map((change) => ({ ...change, path })))
}

/** `12s/old/new/`, `12,14d`, `12c\\text`, `12i\\text`, `12a\\text`: what is done to lines by their numbers. */
function atLines(script: string, special: RegExp) {
  const [, first = '', last = first, verb = '', rest = ''] =
    /^(\d+)(?:,(\d+))? *([sdcia])(.*)$/s.exec(script.trim()) ?? []
  const [from, to] = [Number(first), Number(last)]
  if (verb === '' || from < 1) return undefined
  if (verb === 's') {
    const change = first === last ? substitution(`s${rest}`, special, true) : undefined
    return change && { ...change, line: from }
  }
  if (verb === 'd') return rest === '' ? ({ kind: 'lines', from, to, text: null } as const) : undefined
  const text = rest.replace(/^(?:[ \t]*\\\n?|[ \t]+)/, '').replaceAll('\\\n', '\n')
  const escaped = text.replaceAll('\\n', '\n').replaceAll('\\t', '\t')
  if (verb === 'c') return { kind: 'lines', from, to, text: escaped } as const
  const at = verb === 'i' ? from : from + 1
  return first === last ? ({ kind: 'lines', from: at, to: at - 1, text: escaped } as const) : undefined
}

function substitution(script: string, special: RegExp, isOneLine = false) {
  const [, , pattern = '', replacement = '', flags] = SUBSTITUTION.exec(script) ?? []
  const before = plainPattern(pattern, special)
  if (!before || /(?:^|[^\\])&|\\\d/.test(replacement)) return undefined
  if (flags !== 'g' && before.length < SURE_CHARS_MIN && !isOneLine) return undefined
  const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t' }
  const after = replacement.replace(/\\(.)/gs, (_, char: string) => escapes[char] ?? char)
  return { kind: 'edit', before, after, all: !isOneLine || flags === 'g' } as const
}

/** The text that a regular expression stands for, when it is one text only. */
function plainPattern(pattern: string, special: RegExp): string | undefined {
  const parts = pattern.match(/\\?./gs) ?? []
  const isPlain = parts.every((part, at) => {
    if (part.startsWith('\\')) return special.test(part) || /^\\[^\w(){}+?|<>]$/.test(part)
    return !special.test(part) && (part !== '.' || /\w$/.test(parts[at - 1] ?? ''))
  })
  return isPlain ? parts.map((part) => part.at(-1)).join('') : undefined
}
