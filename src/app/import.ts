import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, extname, join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { JsonObject } from '../core/event/json.ts'
import type { Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import { findSessionFiles, helperFiles } from '../import/find.ts'
import type { Session } from '../import/format.ts'
import { readSessions, sessionsOfText } from '../import/read.ts'
import { helping, type Imported, recordTrajectory } from '../import/record.ts'
import type { Memory } from '../memory.ts'
import { sha256 } from '../sha256.ts'
import { memorySettings } from './context.ts'

/** A recording that is a log now. */
interface ImportedLog extends Imported {
  readonly file: string
  readonly is_here: false
}

/** One that was a log before; nothing was added to it. */
interface KnownLog {
  readonly file: string
  readonly agent_id: string
  readonly is_here: true
  /** Who recorded it; an import that was stopped has no end. */
  readonly recorded: 'by a hook' | 'by an import' | 'by an import that was stopped'
  readonly events: number
}

export type ImportResult = ImportedLog | KnownLog

interface ImportOwn {
  /** Where originals of hidden secrets are kept, if they are. */
  readonly folder?: string
  /** The log's name; by the session's or the file's, unless given. */
  readonly agent?: string
  /** Is told what a model would have been given after each turn. */
  readonly onView?: (view: { readonly turn: number; readonly view: string }) => void
}

/** Records what another harness wrote, through the same summarizers as a live run: a log a session. */
export async function importText(
  store: Store,
  config: Config,
  { name, text }: { readonly name: string; readonly text: string },
  own: ImportOwn,
): Promise<ImportResult[]> {
  const sessions = withDigest(sessionsOfText(text, name), () => sha256(text))
  return importSessions(store, config, name, await sessions, own)
}

/** The same of a file, which is read as it is recorded, with the helpers that stand beside it. */
export async function importFile(
  store: Store,
  config: Config,
  path: string,
  own: ImportOwn,
): Promise<ImportResult[]> {
  if (!existsSync(path)) throw new TwotrackError('missing', `There is no file ${path}.`)
  const sessions = withDigest(sessionsAt(path), () => digestOf(path))
  return importSessions(store, config, path, await sessions, own)
}

/** One without a name of its own is known again by its bytes: other files may be called the same. */
async function withDigest(
  sessions: readonly Session[],
  digest: () => string | Promise<string>,
): Promise<readonly Session[]> {
  const [only] = sessions
  if (only === undefined || only.session !== undefined) return sessions
  return [{ ...only, origin: { ...only.origin, sha256: await digest() } }, ...sessions.slice(1)]
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  const inside = statSync(path).isFile()
    ? [path]
    : readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()
  for (const name of inside) {
    const file = name === path ? path : join(path, name)
    if (statSync(file).isFile()) for await (const chunk of createReadStream(file)) hash.update(chunk)
  }
  return hash.digest('hex')
}

const sessionsAt = (path: string): Session[] => [path, ...helperFiles(path)].flatMap(readSessions)

async function importSessions(
  store: Store,
  config: Config,
  file: string,
  sessions: readonly Session[],
  { agent, onView, folder }: ImportOwn,
): Promise<ImportResult[]> {
  const done: ImportResult[] = []
  const [first] = sessions
  /** How the logs of sessions are called, whose helpers' logs are named after them. */
  const names = new Map<string, string>()
  for (const session of sessions) {
    const { harness, helper, origin } = session
    const name = agent ?? sessionName(session, file)
    let runId = names.get(name) ?? name
    let known = await knownLog(store, withHelper(runId, helper), session)
    // Programs write many files of one name.
    if (known === 'another' && agent === undefined) {
      runId = `${name}-${String(origin['sha256']).slice(0, DIGEST_CHARS)}`
      known = await knownLog(store, runId, session)
    }
    names.set(name, runId)
    const agentId = withHelper(runId, helper)
    if (known === 'another' || (known && agent !== undefined))
      throw new TwotrackError(
        'conflict',
        `Agent "${agentId}" has a log already, of something else. Choose another name with --agent.`,
      )
    if (known) {
      done.push({ file, ...known })
      continue
    }
    // A prompt a turn takes longer than all the rest: they are made for who wants to see them.
    const isViewed = onView !== undefined && session === first
    const onTurn = async (memory: Memory, turn: number) => {
      if (isViewed) onView({ turn, view: (await memory.prompt()).text })
    }
    const options = { store, agentId, runId, operation: harness, ...memorySettings(config, folder) }
    const trajectory = helper === undefined ? session : helping(session)
    done.push({ file, is_here: false, ...(await recordTrajectory(trajectory, options, onTurn)) })
  }
  return done
}

/** What there is of a session already; `another` where a log of its name is of another recording. */
async function knownLog(
  store: Store,
  agent_id: string,
  { session, origin }: Session,
): Promise<Omit<KnownLog, 'file'> | 'another' | undefined> {
  const head = await store.head(agent_id)
  if (!head) return undefined
  let [own, isEnded]: [JsonObject, boolean] = [{}, false]
  for (const at of new Set([1, head.seq]))
    for await (const { type, data } of store.read(agent_id, { from: at, to: at, raw: false })) {
      if (type === 'run_start') own = data.origin ?? {}
      else isEnded = type === 'run_end'
    }
  if (session === undefined && own['sha256'] !== origin['sha256']) return 'another'
  const recorded =
    own['recorded'] !== undefined ? 'by a hook' : isEnded ? 'by an import' : 'by an import that was stopped'
  return { agent_id, is_here: true, recorded, events: head.seq }
}

const withHelper = (name: string, helper: string | undefined): string =>
  helper === undefined ? name : `${name}-${helper}`

/** A session is called as a hook would call it; other recordings by their file. */
function sessionName({ harness, session }: Session, file: string): string {
  if (session !== undefined) return `${harness}-${session}`
  return `import-${file === 'standard input' ? 'stdin' : basename(file, extname(file)).toLowerCase()}`
}

/** Of a file's digest, where its name alone is another's. */
const DIGEST_CHARS = 8

/** A session that was found on this machine. */
export interface FoundSession {
  readonly harness: string
  readonly path: string
  readonly agent_id: string
  readonly project: string
  readonly started: string
  readonly turns: number
  readonly calls: number
  readonly bytes: number
  /** What all of its prompts take together as a growing chat, and as packets of the configured limit: estimates. */
  readonly chat_tokens: number
  readonly packet_tokens: number
  /** Whether there is a log of it here. */
  readonly is_here: boolean
}

/** Characters a token, for a glance. */
const TOKEN_CHARS = 4

/** The sessions of other harnesses on this machine, newest first; what can't be read is told. */
export async function* foundSessions(
  store: Store,
  config: Config,
  from: string | undefined,
): AsyncGenerator<FoundSession | { readonly problem: string }> {
  const limit = config.runner.memory.packet_size_limit
  for (const { harness, path, bytes, changed } of findSessionFiles(homedir(), process.env, from)) {
    let sessions: readonly Session[]
    try {
      sessions = readSessions(path).filter(({ helper }) => helper === undefined)
    } catch (thrown) {
      if (!(thrown instanceof TwotrackError)) throw thrown
      yield { problem: thrown.message }
      continue
    }
    for (const session of sessions.toReversed()) {
      const agent_id = sessionName(session, path)
      const size = sizeOf(session, limit)
      yield {
        ...{ harness, path, agent_id, project: session.project ?? '-' },
        started: session.started ?? changed.toISOString(),
        ...size,
        bytes: sessions.length > 1 ? size.chars : bytes,
        is_here: (await store.head(agent_id)) !== undefined,
      }
    }
  }
}

/** How much a session is, from one look at its steps. */
function sizeOf({ steps }: Session, limit: number) {
  const size = { turns: 0, calls: 0, chars: 0, chat_tokens: 0, packet_tokens: 0 }
  let answer: string | undefined
  for (const step of steps) {
    if (step.kind === 'model') {
      if (step.answer === undefined || step.answer !== answer) {
        size.turns++
        const tokens = Math.ceil(size.chars / TOKEN_CHARS)
        size.chat_tokens += tokens
        size.packet_tokens += Math.min(limit, tokens)
      }
      answer = step.answer
      size.calls += step.calls.length
      size.chars += step.text.length + JSON.stringify(step.calls).length
    } else if (step.kind === 'person') size.chars += step.text.length
    else if (step.kind === 'result')
      size.chars += typeof step.output === 'string' ? step.output.length : JSON.stringify(step.output).length
  }
  return size
}

/** Imports sessions that were found; those that have a log already are passed over. */
export async function importFound(
  store: Store,
  config: Config,
  chosen: readonly FoundSession[],
  onDone: (found: FoundSession) => void,
): Promise<ImportResult[]> {
  const done: ImportResult[] = []
  for (const found of chosen) {
    // Of a database the session and its helpers; a file is one of each.
    const own = sessionsAt(found.path).filter((one) => sessionName(one, found.path) === found.agent_id)
    done.push(...(await importSessions(store, config, found.path, own, {})))
    onDone(found)
  }
  return done
}
