import type { LanguageName } from './node.ts'

const ENDINGS: Readonly<Record<LanguageName, string>> = {
  python: 'py pyi',
  typescript: 'ts mts cts',
  tsx: 'tsx',
  javascript: 'js jsx mjs cjs',
}
const BY_ENDING = new Map(
  (Object.keys(ENDINGS) as LanguageName[]).flatMap((name) =>
    ENDINGS[name].split(' ').map((ending) => [ending, name] as const),
  ),
)

/** The language that a file's name says, null when it is none that has nodes. */
export const languageNameOf = (path: string): LanguageName | null => {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot < 1 ? null : (BY_ENDING.get(name.slice(dot + 1)) ?? null)
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
