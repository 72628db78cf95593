import type { Packet } from '../../packet/packet.ts'

/** Writes paths in a sentence in short. */
export type Shorten = (text: string) => string

/** At least two folders and a name, as they stand in a sentence. */
const LONG_PATH = /(?:[A-Za-z]:)?(?:[\\/]?[\w.@~+-]+[\\/]){2,}[\w.@+-]*\w/g

/**
 * A path that the packet shows in full, over a file's text, among the names seen before or in a call, is written by its last parts
 * in the sentences that tell what was done: as many parts as tell it from the others.
 */
export function pathShortener({ files, index, recent_actions, earlier, changed }: Packet): Shorten {
  const full = [
    ...files.map(({ path }) => path),
    ...index.map(({ names }) => names),
    ...recent_actions.map(({ call }) => call),
  ].join('\n')
  const sentences = [
    ...[...earlier, ...recent_actions].map(({ summary }) => summary),
    ...[...changed, ...index].map(({ path }) => path),
  ].join('\n')
  const paths = [...new Set(sentences.match(LONG_PATH))]
  const short = new Map(
    paths.filter((path) => full.includes(path)).map((path) => [path, shortest(path, paths)]),
  )
  return (text) => text.replace(LONG_PATH, (path) => short.get(path) ?? path)
}

function shortest(path: string, others: readonly string[]): string {
  const parts = path.split(/[\\/]/)
  for (let count = 1; count < parts.length; count++) {
    const end = parts.slice(-count).join('/')
    if (!others.some((other) => other !== path && endsWithParts(other, end))) return end
  }
  return path
}

const endsWithParts = (path: string, end: string): boolean =>
  `/${path.replaceAll('\\', '/')}`.endsWith(`/${end}`)

/** The folders of a path that are left out where they take more than this. */
const FOLDERS_CHARS_MAX = 16

/** Long paths by their last part, where there is no room for more. */
export const withoutFolders = (text: string): string =>
  text.replace(/(?<![\w.~:$%{}@+/\\-])(?:[\w.~:$%{}@+-]*[/\\])+(?=[\w.-])/g, (folders) =>
    folders.length > FOLDERS_CHARS_MAX ? '' : folders,
  )
