import type { LanguageName } from './node.ts'

const BY_ENDING: Readonly<Record<string, LanguageName>> = {
  py: 'python',
  pyi: 'python',
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'tsx',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
}

/** The language that a file's name says, null when it is none that has nodes. */
export const languageNameOf = (path: string): LanguageName | null => {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  const ending = name.slice(dot + 1)
  return dot >= 1 && Object.hasOwn(BY_ENDING, ending) ? (BY_ENDING[ending] ?? null) : null
}

export const isSourcePath = (path: string): boolean => languageNameOf(path) !== null

/** The path in a node's key: what stands before the first `:` that follows the ending of a source file. */
export const nodePath = (key: string): string => {
  for (let at = key.indexOf(':'); at !== -1; at = key.indexOf(':', at + 1)) {
    const path = key.slice(0, at)
    if (isSourcePath(path)) return path
  }
  return key
}
