import { readFile, stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { TwotrackError } from '../../errors.ts'
import { readTrajectory } from '../../import/read.ts'
import { type Imported, recordTrajectory } from '../../import/record.ts'
import { IMPORT_BYTES_MAX } from '../../limits.ts'
import type { Memory } from '../../memory/memory.ts'
import type { Store } from '../../store/store.ts'
import { type CommonOptions, memorySettings, withStore } from '../context.ts'
import { bytes, paint, print, printJson, remark, table } from '../output.ts'

export interface ImportOptions extends CommonOptions {
  readonly views?: boolean
  readonly agent?: string
}

interface Row extends Imported {
  readonly file: string
  readonly view_tokens_max: number
}

/** Records other harnesses' recordings as logs, through the same summarizers as a live run. */
export async function importCommand(files: readonly string[], options: ImportOptions): Promise<number> {
  if (options.agent !== undefined && files.length > 1) {
    throw new TwotrackError('bad_argument', '--agent names one log; import one file at a time with it.')
  }
  return withStore(options, async (store, { config }) => {
    const rows: Row[] = []
    let failed = 0
    for (const file of files) {
      try {
        rows.push(await importOne(file, store, options, memorySettings(config)))
      } catch (thrown) {
        if (files.length === 1 || !(thrown instanceof TwotrackError)) throw thrown
        failed++
        remark(`twotrack: ${thrown.message}`)
      }
      if (files.length > 1 && process.stderr.isTTY) remark(`${rows.length + failed} of ${files.length} files`)
    }
    if (!options.views) report(rows, options)
    return failed > 0 ? 1 : 0
  })
}

async function importOne(
  file: string,
  store: Store,
  options: ImportOptions,
  settings: ReturnType<typeof memorySettings>,
): Promise<Row> {
  const name = file === '-' ? 'standard input' : file
  const trajectory = readTrajectory(await readInput(file), name)
  const agent_id = options.agent ?? agentIdFor(file)
  if (await store.head(agent_id)) {
    throw new TwotrackError(
      'conflict',
      `Agent "${agent_id}" has a log already. Choose another name with --agent.`,
    )
  }
  let view_tokens_max = 0
  const onTurn = async (memory: Memory, turn: number) => {
    const prompt = await memory.prompt()
    view_tokens_max = Math.max(view_tokens_max, prompt.tokens)
    if (options.views) print(JSON.stringify({ turn, view: prompt.text }))
  }
  const imported = await recordTrajectory(trajectory, { store, agent_id, ...settings }, onTurn)
  return { file: name, ...imported, view_tokens_max }
}

async function readInput(file: string): Promise<string> {
  try {
    if (file === '-') return await readStandardInput()
    const { size } = await stat(file)
    if (size > IMPORT_BYTES_MAX) {
      throw new TwotrackError(
        'limit',
        `${file} has ${bytes(size)}; a recording may have ${bytes(IMPORT_BYTES_MAX)}.`,
      )
    }
    return await readFile(file, 'utf8')
  } catch (thrown) {
    if (thrown instanceof TwotrackError) throw thrown
    throw new TwotrackError('io', `${file} cannot be read: ${String(thrown)}`, { cause: thrown })
  }
}

export async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

const agentIdFor = (file: string): string =>
  file === '-' ? 'import-stdin' : `import-${basename(file, extname(file)).toLowerCase()}`

function report(rows: readonly Row[], options: ImportOptions): void {
  if (options.json) {
    printJson(rows)
    return
  }
  if (rows.length === 0) return
  print(
    table(
      ['agent', 'turns', 'calls', 'raw output', 'largest prompt'],
      rows.map((row) => [
        row.agent_id,
        row.turns,
        row.calls,
        bytes(row.raw_bytes),
        `${row.view_tokens_max} tokens`,
      ]),
    ),
  )
  const first = rows[0]?.agent_id ?? ''
  print(paint('dim', `\nNext: twotrack show ${first} · twotrack replay ${first} --turn 3 · twotrack verify`))
}
