import type { FileChange } from '../../core/event/delta.ts'

/** A substitution in so few characters may stand on a line more than once: without `g` only the first is replaced. */
const SURE_CHARS_MIN = 8

/** A change without its path. */
type Change = ReturnType<typeof substitution> | ReturnType<typeof lineCommand>

/**
 * What `sed -i SCRIPT FILE…` does to its files: `s/old/new/` where the pattern is plain text, and lines that are deleted,
 * changed or inserted by their number. None where any of the scripts is something else.
 */
export function sedChanges(args: readonly string[]): FileChange[] {
  const extended = args.some((arg) => /^-[ni]*[Er]/.test(arg))
  const given = args.flatMap((arg, at) => (args[at - 1] === '-e' ? [arg] : []))
  const words = args.filter((arg, at) => !arg.startsWith('-') && args[at - 1] !== '-e')
  const scripts = given.length > 0 ? given : words.slice(0, 1)
  const paths = given.length > 0 ? words : words.slice(1)
  const changes = scripts.map((script): Change => substitution(script, extended) ?? lineCommand(script))
  // Numbers of lines are those before any script.
  if (changes.length > 1 && changes.some((change) => change?.kind === 'lines')) return []
  return changes.every((change) => change !== undefined)
    ? paths.flatMap((path) => changes.map((change) => ({ ...change, path })))
    : []
}

/** The parts of `12s/pattern/replacement/flags`, whatever parts them. */
const SUBSTITUTION = /^(\d*)s([/|#@,!~])((?:\\.|(?!\2).)*)\2((?:\\.|(?!\2).)*)\2(g?)$/s

function substitution(script: string, extended: boolean) {
  const [, number = '', , pattern = '', replacement = '', flags] = SUBSTITUTION.exec(script) ?? []
  if (/(?:^|[^\\])&|\\\d/.test(replacement)) return undefined
  const after = unescaped(replacement)
  if (pattern === '^' && number !== '' && after.endsWith('\n'))
    return insertion(Number(number), after.slice(0, -1))
  // More lines than before move those below, if the line holds the text: that is not certain.
  if (number !== '' && after.includes('\n')) return undefined
  const before = plainPattern(pattern, extended)
  if (before === undefined || before === '') return undefined
  const isSure = flags === 'g' || before.length >= SURE_CHARS_MIN
  if (number !== '')
    return {
      kind: 'edit',
      before,
      after,
      line: Number(number),
      ...(flags === 'g' ? { all: true } : {}),
    } as const
  return isSure ? ({ kind: 'edit', before, after, all: true } as const) : undefined
}

const unescaped = (text: string): string =>
  text.replace(/\\(.)/gs, (_, char: string) => ({ n: '\n', t: '\t' })[char] ?? char)

const insertion = (from: number, text: string) => ({ kind: 'lines', from, to: from - 1, text }) as const

/** `12d`, `12,14d`, `12,14c\new text`, `12i\new text`, `12a\new text`. */
function lineCommand(script: string) {
  const [, first, last = first, command, rest = ''] =
    /^(\d+)(?:,(\d+))?([dcia])(.*)$/s.exec(script.trimStart()) ?? []
  const [from, to] = [Number(first), Number(last)]
  if (command === undefined || from < 1 || to < from) return undefined
  if (command === 'd')
    return rest.trim() === '' ? ({ kind: 'lines', from, to, text: null } as const) : undefined
  if (rest === '' || (command !== 'c' && to > from)) return undefined
  // Spaces before the text are taken away, those behind a backslash stay.
  const text = unescaped(/^\s*\\/.test(rest) ? rest.replace(/^\s*\\\n?/, '') : rest.trimStart())
  if (command === 'c') return { kind: 'lines', from, to, text } as const
  return insertion(command === 'i' ? from : from + 1, text)
}

/** The text that a regular expression stands for, when it is one text only. */
function plainPattern(pattern: string, extended: boolean): string | undefined {
  const special = extended ? /[*[\]^$(){}+?|]/ : /[*[\]^$]/
  const parts = pattern.match(/\\?./gs) ?? []
  const isPlain = parts.every((part, at) => {
    if (part.startsWith('\\')) return special.test(part) || /^\\[^\w(){}+?|<>]$/.test(part)
    return !special.test(part) && (part !== '.' || /\w$/.test(parts[at - 1] ?? ''))
  })
  return isPlain ? parts.map((part) => part.at(-1)).join('') : undefined
}
