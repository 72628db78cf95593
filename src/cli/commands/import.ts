import { withStore } from '../../app/context.ts'
import {
  type FoundSession,
  foundSessions,
  type ImportResult,
  importFile,
  importFound,
  importText,
} from '../../app/import.ts'
import { visibleJson } from '../../audit/visible.ts'
import type { Config } from '../../config/config.ts'
import { defined } from '../../core/event/json.ts'
import type { Store } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import type { CommandWords } from '../command.ts'
import { readInput } from '../input.ts'
import type { CommonOptions } from '../options.ts'
import {
  bytes,
  count,
  type Found,
  type Lines,
  paint,
  print,
  remark,
  safe,
  self,
  table,
  typed,
} from '../output.ts'
import { askText } from '../terminal.ts'

interface ImportOptions extends CommonOptions {
  readonly views?: boolean
  readonly agent?: string
  readonly from?: string
  readonly pick?: string
  readonly all?: boolean
}

/** Records other harnesses' recordings as logs, through the same summarizers as a live run. */
async function importCommand(files: readonly string[], options: ImportOptions): Promise<Found> {
  if (options.agent !== undefined && files.length !== 1) {
    throw new TwotrackError('bad_argument', '--agent names one log; import one file at a time with it.')
  }
  return withStore(options, (store, { config, folder }) =>
    files.length === 0
      ? importFromMachine(store, config, options)
      : importFiles(store, config, files, { ...options, records: folder }),
  )
}

async function importFiles(
  store: Store,
  config: Config,
  files: readonly string[],
  options: ImportOptions & { readonly records: string },
): Promise<Found> {
  const rows: ImportResult[] = []
  const onView = (view: object) => print(visibleJson(view))
  const own = defined({
    folder: options.records,
    agent: options.agent,
    onView: options.views ? onView : undefined,
  })
  let failed = 0
  for (const file of files) {
    try {
      rows.push(
        ...(file === '-'
          ? await importText(store, config, { name: 'standard input', text: await readInput(file) }, own)
          : await importFile(store, config, file, own)),
      )
    } catch (thrown) {
      if (files.length === 1 || !(thrown instanceof TwotrackError)) throw thrown
      failed++
      remark(`twotrack: ${thrown.message}`)
    }
    if (files.length > 1 && process.stderr.isTTY) remark(`${rows.length + failed} of ${files.length} files`)
  }
  tellRemarks(rows)
  const code = failed > 0 ? 1 : 0
  // With --views their lines were printed as they came: a recording may be long.
  return { json: rows, code, lines: () => (options.views ? [] : importedLines(rows, store)) }
}

/** Lists what is on this machine and imports what is chosen. */
async function importFromMachine(store: Store, config: Config, options: ImportOptions): Promise<Found> {
  const found: FoundSession[] = []
  for await (const one of foundSessions(store, config, options.from)) {
    if ('problem' in one) remark(`twotrack: ${safe(one.problem)}`)
    else found.push(one)
    if (process.stderr.isTTY) process.stderr.write(`\r${count(found.length, 'session')} found`)
  }
  if (process.stderr.isTTY) process.stderr.write('\n')
  const isAsked = !options.all && options.pick === undefined && options.json !== true && found.length > 0
  const typed = isAsked && process.stdin.isTTY && process.stderr.isTTY ? await ask(found) : undefined
  const chosen = options.all ? found : chosenOf(found, options.pick ?? typed ?? '')
  const rows = await importFound(
    store,
    config,
    chosen.filter((one) => !one.is_here),
    ({ agent_id }) => process.stderr.isTTY && remark(`imported ${safe(agent_id)}`),
  )
  tellRemarks(rows)
  return {
    json: { found, imported: rows },
    lines: () => [
      typed === undefined && chosen.length === 0 && found.length > 0 && foundLines(found),
      chosen.length === 0 &&
        found.length > 0 &&
        paint('dim', `\nImport some: ${self} import --pick 1,3-5 (or --all)`),
      found.length === 0 &&
        `No sessions of ${options.from ?? 'Claude Code, Codex, Gemini CLI or OpenCode'} were found on this machine.`,
      ...(rows.length > 0 ? importedLines(rows, store) : []),
      chosen.length > 0 && rows.length === 0 && 'All of these have a log here already.',
    ],
  }
}

async function ask(found: readonly FoundSession[]): Promise<string> {
  remark(foundLines(found))
  return askText('\nWhich do you want to import? Numbers such as 1,3-5, or all; nothing for none: ')
}

const foundLines = (found: readonly FoundSession[]): string =>
  table(
    ['#', 'harness', 'date', 'turns', 'calls', 'size', 'as chat', 'as packets', 'project'],
    found.map((one, at) => [
      at + 1,
      one.harness,
      one.started.slice(0, 16).replace('T', ' '),
      one.turns,
      one.calls,
      bytes(one.bytes),
      tokensInShort(one.chat_tokens),
      tokensInShort(one.packet_tokens),
      `${one.project}${one.is_here ? ' (here already)' : ''}`,
    ]),
  )

const tokensInShort = (tokens: number): string =>
  tokens < 1_000
    ? `${tokens}`
    : tokens < 1_000_000
      ? `${Math.round(tokens / 1_000)}k`
      : `${(tokens / 1_000_000).toFixed(1)}M`

function chosenOf(found: readonly FoundSession[], typed: string): FoundSession[] {
  if (typed.trim() === 'all') return [...found]
  const numbers = typed
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [, first, last = first] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part) ?? []
      if (first === undefined || Number(last) > found.length || Number(first) < 1)
        throw new TwotrackError(
          'bad_argument',
          found.length === 0
            ? `No session was found, so there is no "${part}" to pick.`
            : `"${part}" is no number of the list (1 to ${found.length}).`,
        )
      return Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => Number(first) + at)
    })
  return found.filter((_, at) => numbers.includes(at + 1))
}

const TOLD_MAX = 5

/** What could not be read is told as it is, a few lines of it. */
function tellRemarks(rows: readonly ImportResult[]): void {
  for (const row of rows) {
    const remarks = row.is_here ? [] : row.remarks
    const skipped = remarks.filter((one) => one.includes('passed over') || one.includes('not an action'))
    for (const one of skipped.slice(0, TOLD_MAX)) remark(`twotrack: ${safe(one)}`)
    if (skipped.length > TOLD_MAX) remark(`twotrack: and ${skipped.length - TOLD_MAX} more lines`)
  }
}

function importedLines(rows: readonly ImportResult[], store: Store): Lines {
  const made = rows.filter((row) => !row.is_here)
  const known = rows.filter((row) => row.is_here)
  const [first] = made
  const cells = made.map(({ agent_id, turns, calls, raw_bytes }) => {
    return [agent_id, turns, calls, bytes(raw_bytes)]
  })
  const name = typed(first?.agent_id ?? '')
  const next =
    store.kind === 'memory'
      ? 'Nothing was kept: the store is memory. Import with --store jsonl to look at the log.'
      : `Next: ${self} show ${name} · ${self} replay ${name} --turn ${Math.min(3, first?.turns ?? 0)} · ${self} verify`
  return [
    ...known.map(
      ({ agent_id, recorded, events }) =>
        `${safe(agent_id)} is here already: recorded ${recorded}, ${count(events, 'event')}. Nothing was added; --agent NAME imports it beside that.`,
    ),
    first && table(['agent', 'turns', 'calls', 'raw output'], cells),
    first && paint('dim', `\n${next}`),
  ]
}

export default {
  takes: '[files...]',
  examples: [
    'import                        # sessions of Claude Code, Codex, Gemini CLI and OpenCode on this machine',
    'import --from codex --pick 1,3-5',
    'import run.jsonl',
    'import chat.json --agent friday-run',
    'import run.jsonl --views --store memory   # what a model would have seen after each turn',
    'cat messages.json | twotrack import -',
  ],
  options: [
    ['--from <harness>', 'only sessions of this one', ['claude-code', 'codex', 'gemini', 'opencode']],
    ['--pick <numbers>', 'import these of the list'],
    ['--all', 'import all of the list'],
    ['--views', 'print one JSON line per turn: {"turn", "view"}'],
    ['--agent <id>', 'name of the log (default: that of the session, or import-<file name>)'],
  ],
  call: importCommand,
} satisfies CommandWords
