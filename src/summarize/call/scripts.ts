import type { FileChange } from '../../core/event/delta.ts'
import { joinPath, type Program } from '../../text/shell.ts'

/** A path in quotes, bare or in a call such as `Path("a.py")`, or the name of a variable. */
const TARGET = String.raw`(?:[\w.]*\(\s*)?[rbuf]?(?:(?<quote>["'\`])(?<path>[^"'\`\n]{1,200})\k<quote>|(?<name>[A-Za-z_]\w*))\)?`
/** Where a script opens a file to write to it; add rows as needed. */
const WRITES = [
  new RegExp(String.raw`\bopen\(\s*${TARGET}\s*,\s*(?:mode\s*=\s*)?["'][wax]`, 'g'),
  new RegExp(String.raw`${TARGET}\.(?:write_(?:text|bytes)|open\(\s*(?:mode\s*=\s*)?["'][wax])`, 'g'),
  new RegExp(String.raw`\b(?:write|append)File(?:Sync)?\(\s*${TARGET}`, 'g'),
  new RegExp(String.raw`\bFile\.write\(\s*${TARGET}`, 'g'),
]
const ASSIGNED = new RegExp(String.raw`\b(?<variable>[A-Za-z_]\w*)\s*=\s*${TARGET}`, 'g')
const SCRIPT_CHARS_MAX = 40_000

/** Files that a script writes, as far as its own text names them: what it writes only running it tells. */
export function writtenBy(script: string, folder: string): FileChange[] {
  const text = script.slice(0, SCRIPT_CHARS_MAX)
  const named = new Map(
    [...text.matchAll(ASSIGNED)].map(({ groups }) => [groups?.['variable'], groups?.['path']]),
  )
  const paths = WRITES.flatMap((writes) =>
    [...text.matchAll(writes)].flatMap(({ groups }) => groups?.['path'] ?? named.get(groups?.['name']) ?? []),
  )
  return [...new Set(paths)]
    .filter((path) => /^[^\s{}*?<>|$]*\.\w{1,8}$/.test(path))
    .map((path) => ({ kind: 'touch', path: joinPath(folder, path) }))
}

const INTERPRETER = /^(?:python[\d.]*|node|deno|bun|ruby|perl)$/

/** The script that a call brings along: behind `-c` or `-e`, or on standard input. */
export function ownScript({ name, args, input }: Program): string | undefined {
  if (!INTERPRETER.test(name)) return undefined
  const at = args.findIndex((arg) => arg === '-c' || arg === '-e' || arg === '--eval')
  return at >= 0 ? args[at + 1] : input
}

export const scriptFile = ({ name, args }: Program): string | undefined =>
  INTERPRETER.test(name) ? args.find((arg) => /\.\w{1,4}$/.test(arg)) : undefined
