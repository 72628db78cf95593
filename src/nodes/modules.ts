/** Which file of the project an import names. What lies outside of it has none. */

import { posix } from 'node:path'
import type { CodeNode } from './node.ts'

/** How a project names its own modules, besides by paths. */
export interface ModuleLayout {
  /** The folders above Python's outermost packages, by the package's name. */
  readonly packages: ReadonlyMap<string, readonly string[]>
  /** The paths from the top that a name without dots in front may mean in a script. */
  aliased(from: string, module: string): readonly string[]
}

export const noLayout: ModuleLayout = { packages: new Map(), aliased: () => [] }

const SCRIPT_ENDINGS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.d.ts']
const PYTHON_ROOTS = ['', 'src']

const scriptCandidates = (from: string, module: string, { aliased }: ModuleLayout): string[] => {
  const isPath = /^\.\.?(?:\/|$)/.test(module)
  const paths = isPath ? [posix.join(posix.dirname(from), module)] : aliased(from, module)
  return paths.flatMap((path) => {
    const stem = path.replace(/\.([mc]?)jsx?$/, '')
    const written = stem === path ? [path] : [path, ...SCRIPT_ENDINGS.map((ending) => stem + ending)]
    const ended = SCRIPT_ENDINGS.map((ending) => path + ending)
    return [...written, ...ended, ...SCRIPT_ENDINGS.map((ending) => posix.join(path, `index${ending}`))]
  })
}

const pythonCandidates = (from: string, module: string, { packages }: ModuleLayout): string[] => {
  const name = module.replace(/^\.+/, '')
  const dots = module.length - name.length
  const parts = name.split('.').filter((part) => part !== '')
  const here = posix.dirname(from)
  const folders =
    dots > 0
      ? [posix.join(here, ...Array<string>(dots - 1).fill('..'))]
      : [...new Set([...(packages.get(parts[0] ?? '') ?? []), ...PYTHON_ROOTS, here])]
  return folders.flatMap((folder) => {
    const path = posix.join(folder, ...parts)
    return [`${path}.py`, `${path}.pyi`, posix.join(path, '__init__.py')]
  })
}

const ENDING = /(?:\.d\.ts|\.[mc]?[jt]sx?|\.pyi?)$/
const FOLDER_FILE = /\/(?:index|__init__)$/

/** What all files have in common that one import may mean. */
export const stemOf = (path: string): string => path.replace(ENDING, '').replace(FOLDER_FILE, '')

export interface ImportedFile {
  /** Null when it is not among the known files. */
  path: string | null
  /** Stems of all files that the import may mean: when one of them comes or goes, ask again. */
  stems: readonly string[]
}

export const importedFile = (
  file: Pick<CodeNode, 'language' | 'path'>,
  module: string,
  layout: ModuleLayout,
  isKnown: (path: string) => boolean,
): ImportedFile => {
  const candidates = (file.language === 'python' ? pythonCandidates : scriptCandidates)(
    file.path,
    module,
    layout,
  )
  const path = candidates.find((one) => one !== file.path && isKnown(one)) ?? null
  return { path, stems: [...new Set(candidates.map(stemOf))] }
}
