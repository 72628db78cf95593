const plain = (path: string): string => path.replaceAll('\\', '/').replace(/^\.\//, '').toLowerCase()

/** The last part of a path. */
export const baseName = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)

/** Whether two paths are one file, written from different folders: `/repo/src/a.ts`, `src/a.ts`. */
export function isSamePath(one: string, other: string): boolean {
  if (one === other) return true
  const [short, long] = [plain(one), plain(other)].sort((a, b) => a.length - b.length)
  if (short === undefined || long === undefined || !baseName(short).includes('.')) return short === long
  return long === short || long.endsWith(`/${short}`)
}
