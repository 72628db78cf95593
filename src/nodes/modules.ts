/** Which file of the project an import names. What lies outside of it has none. */

import { posix } from 'node:path'
import { languageNameOf } from './source-path.ts'

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

/** Null when it is not among the known files. */
export const importedFile = (
  from: string,
  module: string,
  layout: ModuleLayout,
  isKnown: (path: string) => boolean,
): string | null => {
  const candidates = languageNameOf(from) === 'python' ? pythonCandidates : scriptCandidates
  return candidates(from, module, layout).find((one) => one !== from && isKnown(one)) ?? null
}
