/** What git would not track, decided folder by folder as the search goes down. */

import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { GITIGNORE_BYTES_MAX } from '../limits.ts'

/** The rules that hold in a folder: its own first, then those of the folders around it. */
export interface IgnoreRules {
  folder: string
  rules: Ignore
  outer: IgnoreRules | null
}

const readRules = (file: string): string => {
  try {
    return statSync(file).size > GITIGNORE_BYTES_MAX ? '' : readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** The rules in force inside `folder`, given those around it. */
export const enterFolder = (folder: string, outer: IgnoreRules | null): IgnoreRules | null => {
  const text = readRules(join(folder, '.gitignore'))
  return text === '' ? outer : { folder, rules: ignore().add(text), outer }
}

/** The rules from the top of the repository down to and including `folder`; only its own outside of a repository. */
const rulesFor = (folder: string): IgnoreRules | null => {
  const folders = [folder]
  for (let at = folder; !existsSync(join(at, '.git')); at = dirname(at)) {
    if (dirname(at) === at) return enterFolder(folder, null)
    folders.push(dirname(at))
  }
  const top = folders.at(-1) ?? folder
  const exclude = readRules(join(top, '.git', 'info', 'exclude'))
  let rules: IgnoreRules | null =
    exclude === '' ? null : { folder: top, rules: ignore().add(exclude), outer: null }
  for (const at of folders.toReversed()) rules = enterFolder(at, rules)
  return rules
}

/** The rules for a folder that was named itself: where it is ignored, only what is inside it is asked. */
export const rulesForNamed = (folder: string): IgnoreRules | null => {
  if (existsSync(join(folder, '.git'))) return rulesFor(folder)
  const around = rulesFor(dirname(folder))
  return enterFolder(folder, isIgnored(folder, true, around) ? null : around)
}

/** The innermost rule that speaks of a path decides. Its folders are known not to be ignored. */
export const isIgnored = (path: string, isFolder: boolean, rules: IgnoreRules | null): boolean => {
  for (let at = rules; at !== null; at = at.outer) {
    const inside = relative(at.folder, path).split(sep).join('/') + (isFolder ? '/' : '')
    const { ignored, unignored } = at.rules.test(inside)
    if (ignored) return true
    if (unignored) return false
  }
  return false
}
