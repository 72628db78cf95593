import { withStore } from '../../app/context.ts'
import { type ImportedFile, importText } from '../../app/import.ts'
import { defined } from '../../core/event/json.ts'
import type { Store } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import type { CommandWords } from '../command.ts'
import { readInput } from '../input.ts'
import type { CommonOptions } from '../options.ts'
import { bytes, type Found, type Lines, paint, print, remark, self, table } from '../output.ts'

interface ImportOptions extends CommonOptions {
  readonly views?: boolean
  readonly agent?: string
}

/** Records other harnesses' recordings as logs, through the same summarizers as a live run. */
async function importCommand(files: readonly string[], options: ImportOptions): Promise<Found> {
  if (options.agent !== undefined && files.length > 1) {
    throw new TwotrackError('bad_argument', '--agent names one log; import one file at a time with it.')
  }
  return withStore(options, async (store, { config }) => {
    const rows: ImportedFile[] = []
    const onView = (view: object) => print(JSON.stringify(view))
    const own = defined({ agent: options.agent, onView: options.views ? onView : undefined })
    let failed = 0
    for (const file of files) {
      try {
        const name = file === '-' ? 'standard input' : file
        rows.push(await importText(store, config, { name, text: await readInput(file) }, own))
      } catch (thrown) {
        if (files.length === 1 || !(thrown instanceof TwotrackError)) throw thrown
        failed++
        remark(`twotrack: ${thrown.message}`)
      }
      if (files.length > 1 && process.stderr.isTTY) remark(`${rows.length + failed} of ${files.length} files`)
    }
    const code = failed > 0 ? 1 : 0
    // With --views their lines were printed as they came: a recording may be long.
    return { json: rows, code, lines: () => (options.views ? [] : importedLines(rows, store)) }
  })
}

function importedLines(rows: readonly ImportedFile[], store: Store): Lines {
  const [first] = rows
  const cells = rows.map(({ agent_id, turns, calls, raw_bytes, view_tokens_max }) => {
    return [agent_id, turns, calls, bytes(raw_bytes), `${view_tokens_max} tokens`]
  })
  const next =
    store.kind === 'memory'
      ? 'Nothing was kept: the store is memory. Import with --store jsonl to look at the log.'
      : `Next: ${self} show ${first?.agent_id} · ${self} replay ${first?.agent_id} --turn 3 · ${self} verify`
  return [
    first && table(['agent', 'turns', 'calls', 'raw output', 'largest prompt'], cells),
    first && paint('dim', `\n${next}`),
  ]
}

export default {
  takes: '<files...>',
  examples: [
    'import run.jsonl',
    'import chat.json --agent friday-run',
    'import run.jsonl --views --store memory   # what a model would have seen after each turn',
    'cat messages.json | twotrack import -',
  ],
  options: [
    ['--views', 'print one JSON line per turn: {"turn", "view"}'],
    ['--agent <id>', 'name of the log (default: import-<file name>)'],
  ],
  call: importCommand,
} satisfies CommandWords
