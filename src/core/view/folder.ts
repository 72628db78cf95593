import type { Packet } from '../packet/packet.ts'
import type { OutlineLine } from './render.ts'

/** Saving less is not worth a reader's asking where paths begin. */
const SAVED_CHARS_MIN = 60
const FOLDER = /(?<![^\s"'(])(?:[A-Za-z]:)?[/\\](?:[^\s:"'/\\]+[/\\])+/g
/** Lines that name a file or say what a step did; what was called and given stands as it was. */
const NAMING = /^\/(?:changed|files|recent_actions)\/\d+\/(?:path|summary)$/

/** The folder that the outline leaves out of paths, with its last slash: the one that most are in, as deep as saves much. */
export function folderIn({ changed, files, recent_actions }: Packet): string {
  const paths = [...changed, ...files].map(({ path }) => path)
  const counts = new Map<string, number>()
  for (const text of [...paths, ...recent_actions.map(({ summary }) => summary)])
    for (const [path] of text.matchAll(FOLDER))
      for (const { index } of path.slice(1).matchAll(/[/\\]/g)) {
        const folder = path.slice(0, index + 2)
        counts.set(folder, (counts.get(folder) ?? 0) + 1)
      }
  let [best, most] = ['', 0]
  for (const [folder, count] of counts) {
    // That many are in it counts more than what its name takes: below a project is better understood.
    const worth = folder.length * count ** 3
    if (worth > most && folder.length * (count - 1) >= SAVED_CHARS_MIN) [best, most] = [folder, worth]
  }
  return best
}

/** In the middle of another path a folder's name stays. */
export const withoutFolder = (text: string, folder: string): string =>
  folder === ''
    ? text
    : text.replaceAll(folder, (found, at: number) => (/[\w.~-]/.test(text[at - 1] ?? '') ? found : ''))

export const lineBelow = ([text, place, part]: OutlineLine, folder: string): OutlineLine => [
  NAMING.test(place ?? '') ? withoutFolder(text, folder) : text,
  place,
  part,
]
