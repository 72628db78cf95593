import type { FileChange } from '../../core/event/delta.ts'

/** A substitution in so few characters may stand on a line more than once: without `g` only the first is replaced. */
const SURE_CHARS_MIN = 8
/** `s/pattern/replacement/flags`, whatever parts them. */
const SUBSTITUTION = /^s([/|#@,!~])((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1(g?)$/s

/** What `sed -i SCRIPT FILE…` does to its files where every script is `s/old/new/` and the pattern plain text; else none. */
export function sedChanges(args: readonly string[]): FileChange[] {
  const special = args.some((arg) => /^-[ni]*[Er]/.test(arg)) ? /[*[\]^$(){}+?|]/ : /[*[\]^$]/
  const given = args.flatMap((arg, at) => (args[at - 1] === '-e' ? [arg] : []))
  const words = args.filter((arg, at) => !arg.startsWith('-') && args[at - 1] !== '-e')
  const scripts = given.length > 0 ? given : words.slice(0, 1)
  const paths = given.length > 0 ? words : words.slice(1)
  const changes = scripts.map((script) => substitution(script, special))
  return changes.every((change) => change !== undefined)
    ? paths.flatMap((path) => changes.map((change) => ({ ...change, path })))
    : []
}

function substitution(script: string, special: RegExp) {
  const [, , pattern = '', replacement = '', flags] = SUBSTITUTION.exec(script) ?? []
  const before = plainPattern(pattern, special)
  if (!before || /(?:^|[^\\])&|\\\d/.test(replacement)) return undefined
  if (flags !== 'g' && before.length < SURE_CHARS_MIN) return undefined
  const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t' }
  const after = replacement.replace(/\\(.)/gs, (_, char: string) => escapes[char] ?? char)
  return { kind: 'edit', before, after, all: true } as const
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
