import { sanitizeLine } from '../../text/sanitize.ts'
import type { Packet } from '../packet/packet.ts'
import { bullet, escaped, indented, type OutlineLine } from './render.ts'
import { rows } from './rows.ts'
import { entriesIn } from './section.ts'

/**
 * The packet as an outline. Headings stand at the margin in capitals; everything that a tool, a model or the hub said is
 * indented, numbered or behind a bullet, so that it can't pose as a goal or a rule.
 */
export function outlineOf(packet: Packet): OutlineLine[] {
  const { goal, operation, node, turn, constraints, omitted } = packet
  const of = constraints.max_turns === null ? '' : ` of ${constraints.max_turns}`
  const on = node.id === '-' ? '' : ` on ${sanitizeLine(node.id)} (${sanitizeLine(node.type)})`
  const bullets = (lines: readonly string[], place: string) =>
    lines.map((line, at): OutlineLine => [bullet(line), `${place}/${at}`])
  const section = (title: string, lines: readonly OutlineLine[]): readonly OutlineLine[] =>
    lines.length === 0 ? [] : [[title], ...lines]
  const folder = folderIn(packet)
  return [
    ...indented(goal, 'GOAL: ', '  ', '/goal'),
    [`TASK: ${sanitizeLine(operation)}${on}, turn ${turn}${of}`, '/operation'],
    ...(folder === '' ? [] : [[`  (paths below ${sanitizeLine(folder)})`] as const]),
    ...section('RULES', bullets(constraints.safety, '/constraints/safety')),
    ...rows.flatMap((row) => {
      const counts = row.title === 'STEPS' ? bullets(omitted, '/omitted') : []
      const lines = entriesIn(row, packet[row.field]).flatMap(([at, value]) => {
        const place = `/${row.field}${at === '' ? '' : `/${escaped(at)}`}`
        return row.lines(value, packet).map(([text, path, part]) => {
          const where = path ? `${place}/${path}` : place
          return [
            unlikeHeading(NAMING.test(where) ? withoutFolder(text, folder) : text),
            where,
            part,
          ] as const
        })
      })
      return section(row.title, [...counts, ...lines])
    }),
  ]
}

/** What we write begins with a mark or a space: a line that could be one of our headings is a tool's, and moved in. */
const unlikeHeading = (text: string): string =>
  /^[A-Z]/.test(text) && (HEADINGS.has(text) || /^(?:GOAL|TASK):/.test(text)) ? ` ${text}` : text
const HEADINGS: ReadonlySet<string> = new Set(['RULES', ...rows.flatMap(({ title }) => title || [])])

/** Saving less is not worth a reader's asking where paths begin. */
const SAVED_CHARS_MIN = 60
const FOLDER = /(?<![^\s"'(])(?:[A-Za-z]:)?[/\\](?:[^\s:"'/\\]+[/\\])+/g
/** Lines that name a file or say what a step did; what was called and given stands as it was. */
const NAMING =
  /^\/(?:(?:changed|files|recent_actions)\/\d+\/(?:path|summary)|(?:failed_attempts|diagnostics)\/\d+)$/

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
