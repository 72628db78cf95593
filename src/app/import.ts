import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, extname } from 'node:path'
import type { Config } from '../config/config.ts'
import { defined } from '../core/event/json.ts'
import type { Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import { findSessionFiles, helperFiles } from '../import/find.ts'
import type { Session } from '../import/format.ts'
import { readSessions, sessionsOfText } from '../import/read.ts'
import { type Imported, recordTrajectory } from '../import/record.ts'
import type { Memory } from '../memory.ts'
import { memorySettings } from './context.ts'

/** A recording that is a log now. */
export interface ImportedLog extends Imported {
  readonly file: string
}

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
): Promise<ImportedLog[]> {
  return importSessions(store, config, name, sessionsOfText(text, name), own)
}

/** The same of a file, which is read as it is recorded, with the helpers that stand beside it. */
export async function importFile(
  store: Store,
  config: Config,
  path: string,
  own: ImportOwn,
): Promise<ImportedLog[]> {
  if (!existsSync(path)) throw new TwotrackError('missing', `There is no file ${path}.`)
  return importSessions(store, config, path, await sessionsAt(path), own)
}

async function sessionsAt(path: string): Promise<Session[]> {
  const sessions = [...(await readSessions(path))]
  for (const helper of helperFiles(path)) sessions.push(...(await readSessions(helper)))
  return sessions
}

async function importSessions(
  store: Store,
  config: Config,
  file: string,
  sessions: readonly Session[],
  { agent, onView, folder }: ImportOwn,
): Promise<ImportedLog[]> {
  const done: ImportedLog[] = []
  const [first] = sessions
  for (const session of sessions) {
    const agentId = agent === undefined ? agentIdOf(session, file) : nameBy(agent, session)
    if (await store.head(agentId)) {
      // Helpers of a session come with it; what is here of a database is passed over.
      if (sessions.length > 1) continue
      throw new TwotrackError(
        'conflict',
        `Agent "${agentId}" has a log already. Choose another name with --agent.`,
      )
    }
    // A prompt a turn takes longer than all the rest: they are made for who wants to see them.
    const isViewed = onView !== undefined && session === first
    const onTurn = async (memory: Memory, turn: number) => {
      if (isViewed) onView({ turn, view: (await memory.prompt()).text })
    }
    const { harness, helper } = session
    const runId = helper === undefined ? agentId : agentIdOf({ ...session, helper: undefined }, file)
    const options = { store, agentId, runId, operation: harness, ...memorySettings(config, folder) }
    done.push({ file, ...(await recordTrajectory(session, options, onTurn)) })
  }
  return done
}

const nameBy = (agent: string, { helper }: Session): string =>
  helper === undefined ? agent : `${agent}-${helper}`

/** A session is called as a hook would call it; other recordings by their file. */
function agentIdOf(
  {
    harness,
    session,
    helper,
  }: Pick<Session, 'harness' | 'session'> & { readonly helper?: string | undefined },
  file: string,
): string {
  const name = file === 'standard input' ? 'stdin' : basename(file, extname(file)).toLowerCase()
  const own = session === undefined ? `import-${name}` : `${harness}-${session}`
  return helper === undefined ? own : `${own}-${helper}`
}

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
      sessions = (await readSessions(path)).filter(({ helper }) => helper === undefined)
    } catch (thrown) {
      if (!(thrown instanceof TwotrackError)) throw thrown
      yield { problem: thrown.message }
      continue
    }
    for (const session of sessions.toReversed()) {
      const agent_id = agentIdOf(session, path)
      const size = await sizeOf(session, limit)
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
async function sizeOf({ steps }: Session, limit: number) {
  const size = { turns: 0, calls: 0, chars: 0, chat_tokens: 0, packet_tokens: 0 }
  let answer: string | undefined
  for await (const step of steps) {
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
): Promise<ImportedLog[]> {
  const done: ImportedLog[] = []
  for (const found of chosen) {
    const all = await sessionsAt(found.path)
    // Of a database the session and its helpers; a file is one of each.
    const name = found.agent_id
    const own = all.filter((one) => agentIdOf({ ...one, helper: undefined }, found.path) === name)
    done.push(...(await importSessions(store, config, found.path, own, defined({}))))
    onDone(found)
  }
  return done
}
