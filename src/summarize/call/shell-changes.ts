import type { FileChange } from '../../core/event/delta.ts'
import { joinPath, type Program, plainWords, type ShellCommand } from '../../text/shell.ts'
import { ownScript, writtenBy } from './scripts.ts'
import { sedChanges } from './sed.ts'

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
    const isSure = edits.length > 0 && edits.every(({ path }) => !NO_PATH.test(path))
    return isSure ? edits : all('touch', plainWords(args).slice(-1))
  }
  if (name === 'git')
    return args[0] === 'rm'
      ? all('remove', plainWords(args.slice(1)))
      : all('touch', restoredBy(args)).map((change) => ({ ...change, kind: 'touch', restored: true }))
  if (name === 'rm') return all('remove', plainWords(args))
  if (name === 'mv')
    return [...all('remove', plainWords(args).slice(0, -1)), ...all('touch', plainWords(args).slice(-1))]
  if (name === 'cp') return all('touch', plainWords(args).slice(-1))
  const script = ownScript(program)
  return [
    ...(into === undefined ? [] : all('touch', [into])),
    ...(script === undefined ? [] : writtenBy(script, folder)),
  ]
}

export const isInPlace = ({ name, args }: Program): boolean =>
  name === 'sed' && args.some((arg) => /^(?:-[nEr]*i|--in-place)/.test(arg))

/** Files that git brings back to another state. */
function restoredBy([command, ...args]: readonly string[]): readonly string[] {
  if (command === 'restore') return args.includes('--staged') ? [] : plainWords(args)
  if (command !== 'checkout') return []
  const dashes = args.indexOf('--')
  return dashes === -1 ? plainWords(args).filter((word) => /\.\w{1,6}$/.test(word)) : args.slice(dashes + 1)
}
