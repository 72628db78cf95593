const plain = (path: string): string => path.replaceAll('\\', '/').replace(/^\.\//, '').toLowerCase()

const baseName = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)

/** Whether two paths are one file, written from different folders: `/repo/src/a.ts`, `src/a.ts`. */
export function isSamePath(one: string, other: string): boolean {
  if (one === other) return true
  if (!endsAlike(one, other)) return false
  const [short, long] = [plain(one), plain(other)].sort((a, b) => a.length - b.length)
  if (short === undefined || long === undefined || !baseName(short).includes('.')) return short === long
  return long === short || long.endsWith(`/${short}`)
}

/** False when two paths surely have different last parts; cheap, since a path is compared with all that are known. */
function endsAlike(one: string, other: string): boolean {
  for (let back = 1; back <= one.length && back <= other.length; back++) {
    const [a, b] = [one.charCodeAt(one.length - back), other.charCodeAt(other.length - back)]
    if (a === b && a !== 47) continue
    // The last parts are equal; or case, slash or another alphabet makes the difference, and it is not sure.
    return a === b || (a | 0x20) === (b | 0x20) || a > 127 || b > 127 || a === 92 || b === 92
  }
  return true
}

const ENDINGS = new Set(
  `ts tsx mts cts js jsx mjs cjs py pyi go rs java kt c h cc cpp hpp cs rb php swift scala sh bash ps1 bat md mdx txt rst
   json jsonl yaml yml toml ini cfg conf lock xml html htm css scss less sql csv tsv proto gradle vue svelte ipynb log env
   patch diff svg png`.split(/\s+/),
)

/** Whether a name is a file's: it ends as files do. `config.Block` and `before/after` are none. */
export const isPath = (name: string): boolean => {
  const dot = name.lastIndexOf('.')
  return dot > 0 && ENDINGS.has(name.slice(dot + 1))
}
