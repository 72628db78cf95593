/**
 * Is raw output stored as it was given, byte for byte? Lists every place where it is not, to be looked at one by one.
 *
 *     node bench/raw-kept.ts PATH…     by what each path is:
 *         a folder of recordings       (first line `{"meta": …}`): each is imported, and each raw output read back
 *         any other folder             a project: an agent runs commands and reads files in its own copy of it; what
 *                                      they gave is told by the same commands, run by themselves, and by the files
 *
 * A line for each place: what stands before it, its placeholder, what it stands for. At the end the places by kind.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fieldOf } from '../src/core/memory/blobs.ts'
import type { Store } from '../src/core/store/store.ts'
import { readTrajectory } from '../src/import/read.ts'
import { recordTrajectory } from '../src/import/record.ts'
import { scripted } from '../src/model/scripted.ts'
import { startAgent } from '../src/run/start.ts'
import { jsonlStore } from '../src/store/jsonl/jsonl.ts'
import { runCommandTool } from '../src/tool/run-command.ts'

const CALLS_A_TURN = 20
const COMMANDS_MAX = 400

const total = { outputs: 0, bytes: 0, altered: 0, places: 0 }
const kinds = new Map<string, number>()
for (const path of process.argv.slice(2)) {
  const folder = mkdtempSync(join(tmpdir(), 'twotrack-raw-'))
  const store = jsonlStore({ folder, durability: { interval_ms: 1_000 } })
  const before = { ...total }
  const runs = filesIn(path).filter(isRecording)
  try {
    if (runs.length > 0) for (const run of runs) await recording(store, run)
    else await project(store, path)
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
  const of = (name: keyof typeof total) => total[name] - before[name]
  console.log(
    `${path}: ${runs.length || 'a project,'} ${runs.length ? 'recordings, ' : ''}${of('outputs')} outputs of ${of('bytes')} bytes, ${of('altered')} altered in ${of('places')} places`,
  )
}
console.log(
  `in all ${total.outputs} outputs of ${total.bytes} bytes, ${total.altered} altered in ${total.places} places: ${JSON.stringify(Object.fromEntries(kinds))}`,
)

function filesIn(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/(?:^|\/)(?:\.git|node_modules)\//.test(name))
    .map((name) => join(path, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
    .sort()
}

function isRecording(file: string): boolean {
  return file.endsWith('.jsonl') && readFileSync(file, 'utf8').startsWith('{"meta"')
}

/** What the log holds of each result, in order, as bytes. */
async function storedIn(store: Store, agentId: string, tool?: string): Promise<Buffer[]> {
  const found: Buffer[] = []
  for await (const event of store.read(agentId))
    if (event.type === 'tool_result' && (tool === undefined || event.data.tool === tool)) {
      const raw = await fieldOf(store, event, 'raw_output')
      found.push(raw instanceof Uint8Array ? Buffer.from(raw) : Buffer.from(String(raw)))
    }
  return found
}

function compare(what: string, given: Buffer, stored: Buffer | undefined): void {
  total.outputs++
  total.bytes += given.length
  if (stored?.equals(given)) return
  total.altered++
  for (const line of placesIn(given.toString('latin1'), stored?.toString('latin1') ?? '')) {
    const kind = /\[secret:([a-z0-9-]+):/.exec(line)?.[1] ?? 'other'
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    total.places++
    console.log(`${what}: ${line}`)
  }
}

/** What stood where each placeholder stands; what is left then has to be the same. */
function placesIn(given: string, stored: string): string[] {
  const lines: string[] = []
  let at = 0
  const parts = stored.split(/(\[secret:[a-z0-9-]+:[0-9a-f]{12}\])/)
  for (let index = 0; index < parts.length; index += 2) {
    const [same = '', made] = [parts[index], parts[index + 1]]
    if (!given.startsWith(same, at)) return [...lines, `OTHER THAN A PLACEHOLDER after byte ${at}`]
    at += same.length
    if (made === undefined) break
    const next = parts[index + 2] ?? ''
    const to = index + 3 === parts.length ? given.length - next.length : given.indexOf(next, at)
    if (to < at) return [...lines, `OTHER THAN A PLACEHOLDER after byte ${at}`]
    lines.push(
      `${JSON.stringify(given.slice(Math.max(0, at - 60), at))} ${made} ${JSON.stringify(given.slice(at, to))}`,
    )
    at = to
  }
  return at === given.length ? lines : [...lines, `OTHER THAN A PLACEHOLDER after byte ${at}`]
}

async function recording(store: Store, file: string): Promise<void> {
  const rows = readFileSync(file, 'utf8').split('\n')
  const lines = rows
    .map((content, at) => ({ number: at + 1, content }))
    .filter(({ content }) => content !== '')
  const trajectory = readTrajectory(rows.join('\n'), basename(file))
  const agentId = `r${total.outputs}`
  await recordTrajectory(trajectory, { store, agentId })
  const given = lines.map(({ content }) => JSON.parse(content)).filter((row) => 'raw_output' in row)
  const stored = await storedIn(store, agentId)
  for (const [at, { raw_output: raw }] of given.entries())
    compare(
      `${file} output ${at + 1}`,
      Buffer.from(typeof raw === 'string' ? raw : JSON.stringify(raw)),
      stored[at],
    )
}

/** Files whole, their beginnings, searches over all of them. */
async function project(store: Store, root: string): Promise<void> {
  const files = filesIn(root).map((file) => file.slice(root.length).replace(/^\//, ''))
  const every = Math.ceil(files.length / COMMANDS_MAX)
  const commands = [
    ...['TODO', 'key', 'token', 'password', 'http'].map((word) => [
      'grep',
      '-rnI',
      '--exclude-dir=.git',
      word,
      '.',
    ]),
    ['grep', '-rnI', '--exclude-dir=.git', '--color=always', 'return', '.'],
    ...files.filter((_, at) => at % every === 0).map((file) => ['cat', file]),
  ]
  const agentId = basename(root)
  const answers = []
  for (let at = 0; at < commands.length; at += CALLS_A_TURN)
    answers.push({
      text: '',
      calls: commands
        .slice(at, at + CALLS_A_TURN)
        .map((argv, nth) => ({ call_id: `${at + nth}`, tool: 'run_command', args: { argv } })),
    })
  const report = await startAgent({
    ...{ store, agentId, goal: 'Look at everything.', instructions: 'Look.' },
    operation: 'look',
    model: scripted([...answers, { tool: 'submit_result', args: { summary: 'Done.' } }]),
    tools: [runCommandTool({ allow: ['cat', 'grep'].map((program) => ({ program })) })],
    workspace: root,
    limits: { turnsMax: answers.length + 2 },
  })
  if (report.stop.reason !== 'submitted') throw new Error(JSON.stringify(report.stop))
  const stored = await storedIn(store, agentId, 'run_command')
  if (stored.length !== commands.length) console.log(`${stored.length} of ${commands.length} results`)
  for (const [at, argv] of commands.entries()) {
    compare(`${root}: ${argv.join(' ')}`, outputOf(root, argv), stored[at])
  }
}

function outputOf(cwd: string, [program = '', ...args]: readonly string[]): Buffer {
  try {
    return execFileSync(program, args, { cwd, maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore'] })
  } catch (thrown) {
    return thrown instanceof Error && 'stdout' in thrown
      ? Buffer.from(thrown.stdout as Uint8Array)
      : Buffer.alloc(0)
  }
}
