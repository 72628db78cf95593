import type { FileChange } from '../../event/delta.ts'
import { joinPath, type Program, plainWords, type ShellCommand } from '../../text/shell.ts'

/** A substitution in so few characters may stand on a line more than once: without `g` only the first is replaced. */
const SURE_CHARS_MIN = 8

/** Patterns and variables, which may stand for any file, and the rest of quotes that did not close where they should. */
const NO_PATH = /[*?[$\n'"]/

/**
 * What a command does to files, where that is certain from its words alone. Any other change of a file is a `touch`: what
 * was known of its text may no longer hold.
 */
export const shellChanges = (programs: ShellCommand): FileChange[] => programs.flat().flatMap(changesBy)

function changesBy(program: Program): FileChange[] {
  const { name, args, into, append, input, folder } = program
  const at = (path: string) => joinPath(folder, path)
  const all = (kind: 'remove' | 'touch', paths: readonly string[]): FileChange[] =>
    paths.filter((path) => !NO_PATH.test(path)).map((path) => ({ kind, path: at(path) }))
  if (input !== undefined && (name === 'cat' || name === 'tee') && !append && !args.includes('-a')) {
    const path = name === 'tee' ? plainWords(args)[0] : into
    return path === undefined ? [] : [{ kind: 'write', path: at(path), text: `${input}\n` }]
  }
  if (isInPlace(program)) {
    const edits = sedChanges(args).map((change) => ({ ...change, path: at(change.path) }))
    return edits.length > 0 ? edits : all('touch', plainWords(args).slice(-1))
  }
  if (name === 'git') return all(args[0] === 'rm' ? 'remove' : 'touch', restoredBy(args))
  if (name === 'rm') return all('remove', plainWords(args))
  if (name === 'mv')
    return [...all('remove', plainWords(args).slice(0, -1)), ...all('touch', plainWords(args).slice(-1))]
  if (name === 'cp') return all('touch', plainWords(args).slice(-1))
  return into === undefined ? [] : all('touch', [into])
}

export const isInPlace = ({ name, args }: Program): boolean =>
  name === 'sed' && args.some((arg) => /^(?:-[nEr]*i|--in-place)/.test(arg))

/** Files that git brings back to another state, or deletes. */
function restoredBy([command, ...args]: readonly string[]): readonly string[] {
  if (command === 'rm' || command === 'restore') return plainWords(args)
  if (command !== 'checkout') return []
  const dashes = args.indexOf('--')
  return dashes === -1 ? plainWords(args).filter((word) => /\.\w{1,6}$/.test(word)) : args.slice(dashes + 1)
}

/** `sed -i 's/old/new/g' file` where the pattern is plain text. */
function sedChanges(args: readonly string[]): Extract<FileChange, { kind: 'edit' }>[] {
  const extended = args.some((arg) => /^-[ni]*[Er]/.test(arg))
  const given = args.flatMap((arg, at) => (args[at - 1] === '-e' ? [arg] : []))
  const words = args.filter((arg, at) => !arg.startsWith('-') && args[at - 1] !== '-e')
  const scripts = given.length > 0 ? given : words.slice(0, 1)
  const paths = given.length > 0 ? words : words.slice(1)
  const edits = scripts.map((script) => plainSubstitution(script, extended))
  return edits.every((edit) => edit !== undefined)
    ? paths.flatMap((path) => edits.map((edit) => ({ kind: 'edit' as const, path, ...edit, all: true })))
    : []
}

/** The parts of `s/pattern/replacement/flags`, whatever parts them. */
const SUBSTITUTION = /^s([/|#@,!~])((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1(g?)$/s

function plainSubstitution(script: string, extended: boolean): { before: string; after: string } | undefined {
  const [, , pattern = '', replacement = '', flags] = SUBSTITUTION.exec(script) ?? []
  const before = plainPattern(pattern, extended)
  if (before === undefined || before === '' || /(?:^|[^\\])&|\\\d/.test(replacement)) return undefined
  if (flags === '' && before.length < SURE_CHARS_MIN) return undefined
  const after = replacement.replace(/\\(.)/gs, (_, char: string) => ({ n: '\n', t: '\t' })[char] ?? char)
  return { before, after }
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
