import { isSourcePath } from './source-path.ts'

/** The path in a node's key: what stands before the first `:` that follows the ending of a source file. */
export const nodePath = (key: string): string => {
  for (let at = key.indexOf(':'); at !== -1; at = key.indexOf(':', at + 1)) {
    const path = key.slice(0, at)
    if (isSourcePath(path)) return path
  }
  return key
}
