/** Which file of the project an import names. What lies outside of it has none. */

import { posix } from 'node:path'
import type { CodeNode } from './node.ts'

const SCRIPT_ENDINGS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.d.ts']
const PYTHON_ROOTS = ['', 'src']

const scriptCandidates = (from: string, module: string): string[] => {
  if (!module.startsWith('./') && !module.startsWith('../') && module !== '.' && module !== '..') return []
  const path = posix.join(posix.dirname(from), module)
  const stem = path.replace(/\.([mc]?)jsx?$/, '')
  const written = stem === path ? [path] : [path, ...SCRIPT_ENDINGS.map((ending) => stem + ending)]
  const ended = SCRIPT_ENDINGS.map((ending) => path + ending)
  return [...written, ...ended, ...SCRIPT_ENDINGS.map((ending) => posix.join(path, `index${ending}`))]
}

const pythonCandidates = (from: string, module: string): string[] => {
  const name = module.replace(/^\.+/, '')
  const dots = module.length - name.length
  const parts = name.split('.').filter((part) => part !== '')
  const here = posix.dirname(from)
  const folders =
    dots > 0 ? [posix.join(here, ...Array<string>(dots - 1).fill('..'))] : [...PYTHON_ROOTS, here]
  return folders.flatMap((folder) => {
    const path = posix.join(folder, ...parts)
    return [`${path}.py`, `${path}.pyi`, posix.join(path, '__init__.py')]
  })
}

/** The path of the imported file, null when it is not among the known ones. */
export const importedFile = (
  file: CodeNode,
  module: string,
  known: ReadonlyMap<string, unknown>,
): string | null => {
  const candidates = (file.language === 'python' ? pythonCandidates : scriptCandidates)(file.path, module)
  return candidates.find((path) => path !== file.path && known.has(path)) ?? null
}
