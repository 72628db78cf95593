import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A text to count: where it came from (fits and figures are split by it) and what it is. */
export interface Sample {
  readonly source: string
  readonly kind: string
  readonly text: string
}

interface Action {
  readonly turn: number
  readonly tool: string
  readonly args: unknown
  readonly raw_output: string | null
  readonly is_error: boolean | null
}

const PIECE_CHARS = 8000
const SAMPLE_CHARS_MIN = 1000

/** Trajectories in the format `twotrack import` reads: their raw texts, and packet-like texts made of them. */
export const trajectorySamples = (folder: string): Sample[] => {
  const samples: Sample[] = []
  for (const path of filesUnder(folder).filter((name) => name.endsWith('.jsonl'))) {
    const [head, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n')
    const meta: { source: string; task?: string } = JSON.parse(head ?? '').meta
    const actions: Action[] = lines.map((line) => JSON.parse(line))
    const source = meta.source
    samples.push(...pieces(source, 'task', meta.task ?? ''))
    for (const action of actions) {
      samples.push(...pieces(source, 'arguments', JSON.stringify(action.args) ?? ''))
      samples.push(...pieces(source, 'raw output', action.raw_output ?? ''))
    }
    samples.push(...packetSamples(source, meta.task ?? '', actions))
  }
  return samples
}

/** Plain files, one source for each folder directly under `folder`. */
export const fileSamples = (folder: string, kind: string, take: (path: string) => boolean): Sample[] =>
  filesUnder(folder)
    .filter(take)
    .flatMap((path) => {
      const source = path.slice(folder.length + 1).split('/')[0] ?? folder
      return pieces(source, kind, readFileSync(path, 'utf8').slice(0, 2 * PIECE_CHARS))
    })

/** Sources in alphabetical order, every other one: the half that weights are fitted on. */
export const fittedHalf = (samples: readonly Sample[]): Set<string> =>
  new Set([...new Set(samples.map((sample) => sample.source))].sort().filter((_, index) => index % 2 === 0))

export const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return filesUnder(path)
      return entry.isFile() ? [path] : []
    })

const pieces = (source: string, kind: string, text: string): Sample[] => {
  const found: Sample[] = []
  for (let at = 0; at < text.length; at += PIECE_CHARS) {
    const piece = text.slice(at, at + PIECE_CHARS)
    if (piece.length >= SAMPLE_CHARS_MIN) found.push({ source, kind, text: piece })
  }
  return found
}

/** Four moments of a run, each as an outline and as JSON of 4 to 8 thousand characters. */
const packetSamples = (source: string, goal: string, actions: readonly Action[]): Sample[] => {
  const found: Sample[] = []
  const step = Math.max(4, Math.floor(actions.length / 4))
  for (let end = step; end <= actions.length; end += step) {
    const seen = actions.slice(0, end)
    const length = 4000 + ((end * 997) % 4000)
    for (const [kind, text] of [
      ['outline', outlineOf(goal, seen)],
      ['json packet', jsonOf(goal, seen)],
    ] as const)
      if (text.length >= 3000) found.push({ source, kind, text: text.slice(0, length) })
  }
  return found
}

const outlineOf = (goal: string, seen: readonly Action[]): string => {
  const { paths, names, lines } = mentions(seen)
  return [
    `goal: ${goal.slice(0, 600)}`,
    `turn ${seen.length}`,
    'recent:',
    ...seen.slice(-12).map((action) => `[${action.turn}] ${action.tool} ${brief(action)}`),
    'known:',
    ...paths.slice(-40).map((path, index) => (index % 3 === 0 ? path : `${path}:${(index * 37) % 500}`)),
    `symbols: ${names.slice(-120).join(', ')}`,
    'focus:',
    ...lines,
  ].join('\n')
}

const jsonOf = (goal: string, seen: readonly Action[]): string => {
  const { paths, names, lines } = mentions(seen)
  return JSON.stringify({
    packet_version: 1,
    turn: seen.length,
    goal: goal.slice(0, 600),
    recent_actions: seen.slice(-10).map((action) => ({
      turn: action.turn,
      tool: action.tool,
      summary: (action.raw_output ?? '').slice(0, 200),
      outcome: action.is_error === true ? 'error' : 'success',
      ref: action.turn * 3,
    })),
    knowledge: Object.fromEntries(
      paths
        .slice(-30)
        .map((path, index) => [
          path,
          { value: names.slice(index * 3, index * 3 + 3).join(' '), source_turn: index },
        ]),
    ),
    diagnostics: lines.slice(0, 20),
  })
}

const brief = (action: Action): string => {
  const given = typeof action.args === 'string' ? action.args : (JSON.stringify(action.args) ?? '')
  const first = (action.raw_output ?? '').split('\n').find((line) => line.trim() !== '') ?? ''
  return `${given.slice(0, 120).replaceAll('\n', ' ')}: ${first.slice(0, 140)}`
}

/** Paths, identifiers and numbered lines of the latest outputs: what packets are made of. */
const mentions = (seen: readonly Action[]): { paths: string[]; names: string[]; lines: string[] } => {
  const text = seen
    .slice(-20)
    .map((action) => (action.raw_output ?? '').slice(0, 60_000))
    .join('\n')
  const words = [...new Set(text.match(/[\w./@-]{6,120}/g))]
  const isPath = (word: string): boolean => word.includes('/') || /\.\w{1,4}$/.test(word)
  return {
    paths: words.filter(isPath),
    names: words.filter((word) => !isPath(word) && (word.includes('_') || /[a-z][A-Z]/.test(word))),
    lines: text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(-60)
      .map((line, index) => `${index + 100}\t${line.slice(0, 160)}`),
  }
}
