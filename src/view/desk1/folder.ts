/** A shorter folder is not worth a line of its own. */
const FOLDER_CHARS_MIN = 12

const isAbsolute = (path: string): boolean => /^(?:[A-Za-z]:)?[\\/]/.test(path)

/** The folder that, named once, shortens these absolute paths most, with the slash at its end; empty where none would. */
export function sharedFolder(paths: readonly string[]): string {
  const saved = new Map<string, number>()
  for (const path of new Set(paths.filter(isAbsolute)))
    for (let at = 1; at < path.length; at++)
      if (path[at] === '/' || path[at] === '\\') {
        const folder = path.slice(0, at + 1)
        if (folder.length >= FOLDER_CHARS_MIN) saved.set(folder, (saved.get(folder) ?? 0) + folder.length - 2)
      }
  let best = ''
  for (const [folder, chars] of saved)
    if (chars >= 2 * folder.length + FOLDER_CHARS_MIN && chars > (saved.get(best) ?? 0)) best = folder
  return best
}
