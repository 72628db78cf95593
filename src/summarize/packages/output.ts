import { bothEnds } from '../../text/lines.ts'
import { type PackageFact, packageFact } from './rules.ts'

/** What a package manager's output tells, each package once. */
export interface PackageOutput {
  readonly added: ReadonlyMap<string, string>
  readonly removed: ReadonlyMap<string, string>
  readonly changed: ReadonlyMap<string, string>
  readonly present: ReadonlyMap<string, string>
  readonly outdated: ReadonlyMap<string, string>
  /** What it counts itself: `added 12 packages in 2s`, `3 vulnerabilities (1 high)`. */
  readonly counts: readonly string[]
  readonly problems: readonly string[]
  readonly rest: readonly string[]
  readonly understood: number
}

/** Of very long output the lines at both ends: a failure stands at the last of them. */
const LINES_MAX = 6_000
const ROW_CHARS_MAX = 2_000
const INSTALLED = 'Successfully installed '

export function readPackageOutput(lines: readonly string[]): PackageOutput {
  const found = {
    added: new Map<string, string>(),
    removed: new Map<string, string>(),
    changed: new Map<string, string>(),
    present: new Map<string, string>(),
    outdated: new Map<string, string>(),
  }
  const counts: string[] = []
  const problems: string[] = []
  const rest: string[] = []
  let understood = 0
  let table: Table | undefined
  let shown = ''
  for (const line of bothEnds(lines, LINES_MAX)) {
    if (line.trim() === '') continue
    // `pip show` and its like: a name, then its version among other fields.
    if (line.startsWith('Name: ')) shown = line.slice('Name: '.length)
    if (line.startsWith('Version: ') && shown !== '') found.present.set(shown, line.slice('Version: '.length))
    const head = tableHead(line)
    table = head ?? table
    const row = head ? undefined : table?.row(line)
    const installed = line.startsWith(INSTALLED) ? line.slice(INSTALLED.length).split(' ') : []
    for (const [name, version] of installed.map(nameAndVersion)) found.added.set(name, version)
    const fact = row ? undefined : packageFact(line)
    if (head || row || installed.length > 0 || fact) understood++
    else rest.push(line)
    if (row) found[row.kind].set(row.name, row.version)
    else if (fact) note(fact, found, counts, problems)
  }
  return { ...found, counts, problems, rest, understood }
}

function note(
  fact: PackageFact,
  found: Record<'added' | 'removed' | 'changed' | 'present', Map<string, string>>,
  counts: string[],
  problems: string[],
): void {
  switch (fact.kind) {
    case 'changed':
      found.changed.set(fact.name, `${fact.from} → ${fact.version}`)
      break
    case 'problem':
      problems.push(fact.text)
      break
    case 'count':
      counts.push(fact.text)
      break
    case 'chatter':
      break
    default:
      found[fact.kind].set(fact.name, fact.version)
  }
}

/** `typing-extensions-4.9.0`: the version follows the last dash before a digit. */
function nameAndVersion(word: string): [string, string] {
  const dash = word.search(/-\d[^-]{0,100}$/)
  return dash === -1 ? [word, ''] : [word.slice(0, dash), word.slice(dash + 1)]
}

interface Row {
  readonly kind: 'present' | 'outdated'
  readonly name: string
  readonly version: string
}

interface Table {
  row(line: string): Row | undefined
}

/** `npm outdated` and `pip list [--outdated]`: the words of the head name the columns. */
function tableHead(line: string): Table | undefined {
  const columns = cellsOf(line)
  if (columns[0] !== 'Package' && columns[0] !== 'Name') return undefined
  const current = columns.findIndex((column) => column === 'Current' || column === 'Version')
  const latest = columns.indexOf('Latest')
  if (current === -1) return undefined
  return {
    row(line) {
      const cells = cellsOf(line)
      const [name = ''] = cells
      const [now, newest] = [cells[current] ?? '', latest === -1 ? '' : (cells[latest] ?? '')]
      if (name === '' || !/^(?:v?\d|MISSING)/.test(now)) return undefined
      return newest === ''
        ? { kind: 'present', name, version: now }
        : { kind: 'outdated', name, version: `${now} → ${newest}` }
    },
  }
}

const cellsOf = (line: string): string[] =>
  line
    .slice(0, ROW_CHARS_MAX)
    .split(/[\s│|]/)
    .filter((cell) => cell !== '')
