import { looksLikePath } from '../paths.ts'
import { unquoted } from './diff.ts'

/** A file that a listing of changes names, with what it says of it. */
export interface ChangedFile {
  readonly path: string
  /** `+23 −6`, `29 lines`, `renamed`, empty. */
  readonly change: string
}

export interface Totals {
  readonly files: number
  readonly added: number
  readonly removed: number
}

const STAT = /^\s{0,3}(\S.{0,400}?)\s{1,300}\|\s{1,12}(?:(\d{1,9})(?: (\+{0,300})(-{0,300}))?|Bin\b.*)$/
const TOTALS =
  /^\s{0,3}(\d{1,9}) files? changed(?:, (\d{1,9}) insertions?\(\+\))?(?:, (\d{1,9}) deletions?\(-\))?$/
const LETTERS: Readonly<Record<string, string>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'typechange',
  U: 'conflict',
}

/** A line of `--stat`, `--numstat` or `--name-status`. */
export function changedFile(line: string): ChangedFile | undefined {
  if (line.includes('\t')) return tabbed(line)
  const bar = line.lastIndexOf(' | ')
  if (bar === -1) return undefined
  const stat = STAT.exec(line)
  if (!stat) return undefined
  const [, path = '', count, plus = '', minus = ''] = stat
  if (count === undefined) return { path: unquoted(path), change: 'binary' }
  const exact = plus.length + minus.length === Number(count)
  return {
    path: unquoted(path),
    change: exact ? inSigns(plus.length, minus.length) : `${count} lines`,
  }
}

function tabbed(line: string): ChangedFile | undefined {
  const [first = '', second = '', third] = line.split('\t', 3)
  const state = LETTERS[first[0] ?? '']
  if (state !== undefined && /^[A-Z]\d{0,3}$/.test(first) && second !== '')
    return { path: unquoted(third ?? second), change: state }
  if (third === undefined || !/^(?:\d{1,9}|-)$/.test(first) || !/^(?:\d{1,9}|-)$/.test(second))
    return undefined
  return { path: unquoted(third), change: first === '-' ? 'binary' : inSigns(Number(first), Number(second)) }
}

/** A line of `--name-only`, where it was asked for. */
export const namedFile = (line: string): ChangedFile | undefined =>
  looksLikePath(line) ? { path: unquoted(line), change: '' } : undefined

export function totalsIn(line: string): Totals | undefined {
  const match = TOTALS.exec(line)
  if (!match) return undefined
  return { files: Number(match[1]), added: Number(match[2] ?? 0), removed: Number(match[3] ?? 0) }
}

export const inSigns = (added: number, removed: number): string => `+${added} −${removed}`
