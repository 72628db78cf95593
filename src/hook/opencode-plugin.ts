import { execFile } from 'node:child_process'
import { spool } from './spool.ts'

/**
 * OpenCode's plugin: it runs inside OpenCode, so it only spools, and lets a process of its own fold and make packets. Nothing
 * that goes wrong in it may reach OpenCode.
 */
export interface Programs {
  readonly node: string
  /** The file that makes packets. */
  readonly hook: string
  /** Whether the packet takes the place of all messages, from the first answer on. */
  readonly instead?: boolean
}

type Fields = Record<string, unknown>
interface Message {
  info?: Fields
  parts?: Fields[]
}

const HARNESS = 'opencode'
/** For a packet, in milliseconds; without one OpenCode goes on as it would. */
const PACKET_MS_MAX = 20_000
const PACKET_BYTES_MAX = 1024 * 1024

/** What is known of a session while OpenCode runs. */
interface Session {
  parent?: string
  /** The packet that stands before its messages; empty where there is none. */
  packet?: string | undefined
  isCompacted?: boolean
  /** Whether its messages were seen before: what stands in them the first time was told by an earlier process. */
  isSeen?: boolean
}

export const recording =
  ({ node, hook, instead = false }: Programs) =>
  async ({ directory, worktree }: { directory: string; worktree?: string }): Promise<Fields> => {
    // Outside a repository the worktree is the top of the disk.
    const root = worktree && worktree !== '/' ? worktree : directory
    const sessions = new Map<string, Session>()
    const told = new Set<unknown>()
    const summaries = new Set<string>()
    const sessionOf = (id: string): Session => {
      const known = sessions.get(id) ?? {}
      sessions.set(id, known)
      return known
    }

    const tell = async (id: unknown, what: Fields): Promise<void> => {
      if (typeof id !== 'string') return
      const { parent } = sessionOf(id)
      const payload = { session: id, ...(parent === undefined ? {} : { parent }), ...what }
      await spool(root, HARNESS, Buffer.from(JSON.stringify(payload)))
    }

    /** The packet, from a process of its own. */
    const packetFor = (session: string, source: string): Promise<string> =>
      new Promise((resolve) => {
        const { PATH = '', HOME = '', XDG_STATE_HOME } = process.env
        const env = { PATH, HOME, ...(XDG_STATE_HOME === undefined ? {} : { XDG_STATE_HOME }) }
        const options = { cwd: root, env, timeout: PACKET_MS_MAX, maxBuffer: PACKET_BYTES_MAX }
        const child = execFile(node, [hook, HARNESS, 'SessionStart'], options, (_, stdout) =>
          resolve(contextIn(stdout)),
        )
        child.stdin?.on('error', () => {})
        child.stdin?.end(JSON.stringify({ session_id: session, source }))
      })

    return {
      event: quiet(async (given: unknown) => {
        const { type, properties } = fieldsOf(fieldsOf(given)['event'])
        const { info, part, sessionID } = fieldsOf(properties)
        if (type === 'session.created' || type === 'session.updated') {
          const { id, parentID } = fieldsOf(info)
          if (typeof id === 'string' && typeof parentID === 'string') sessionOf(id).parent = parentID
        } else if (type === 'message.updated') await answered(fieldsOf(info))
        else if (type === 'message.part.updated') await happened(fieldsOf(part))
        else if (type === 'session.compacted' && typeof sessionID === 'string')
          sessionOf(sessionID).isCompacted = true
      }),

      'chat.message': quiet(async (given: unknown, out: unknown) => {
        const { parts } = fieldsOf(out)
        const said = listOf(parts).flatMap(({ type, text, synthetic }) =>
          type === 'text' && synthetic !== true && typeof text === 'string' ? [text] : [],
        )
        if (said.length > 0) await tell(fieldsOf(given)['sessionID'], { said: said.join('\n') })
      }),

      'experimental.chat.messages.transform': quiet(async (_: unknown, out: unknown) => {
        const { messages: given } = fieldsOf(out)
        const messages = listOf(given) as Message[]
        const first = messages.find(({ info }) => info?.['role'] === 'user')
        const id = first?.info?.['sessionID']
        if (first === undefined || typeof id !== 'string') return
        const session = sessionOf(id)
        if (session.parent !== undefined) return
        if (instead) await tellNew(session, messages)
        const isNew = !messages.some(({ info }) => info?.['role'] === 'assistant')
        if (instead && !isNew && Array.isArray(given)) return await replaceAll(id, given, messages)
        if (session.isCompacted) session.packet = await packetFor(id, 'compact')
        else if (session.packet === undefined) session.packet = isNew ? await packetFor(id, 'startup') : ''
        session.isCompacted = false
        if (session.packet !== '') first.parts = [partOf(id, first, session.packet), ...(first.parts ?? [])]
      }),
    }

    /** What happened last may not have been told yet. */
    async function tellNew(session: Session, messages: Message[]): Promise<void> {
      const isFirst = session.isSeen !== true
      session.isSeen = true
      for (const { info = {}, parts = [] } of messages.filter(({ info }) => info?.['role'] === 'assistant'))
        if (isFirst) for (const { id } of [info, ...parts]) told.add(id)
        else {
          await answered(info)
          for (const part of parts) await happened(part)
        }
    }

    /** One message with the packet and the newest files in place of all; where there is no packet they stay. */
    async function replaceAll(id: string, given: unknown[], messages: Message[]): Promise<void> {
      const packet = await packetFor(id, 'instead')
      const last = messages.findLast(({ info }) => info?.['role'] === 'user')
      if (packet === '' || last === undefined) return
      const files = (last.parts ?? []).filter(({ type }) => type === 'file')
      given.splice(0, given.length, { ...last, parts: [partOf(id, last, packet), ...files] })
    }

    /** An answer is complete: what it took. */
    async function answered(info: Fields): Promise<void> {
      const { id, role, sessionID, summary, time } = info
      if (role !== 'assistant' || typeof id !== 'string') return
      if (summary === true) summaries.add(id)
      if (fieldsOf(time)['completed'] === undefined || told.has(id)) return
      told.add(id)
      const { modelID, tokens } = info
      await tell(sessionID, { message: { id, modelID, tokens } })
    }

    /** A part of an answer is complete: words, a thought, or a call and what came of it. */
    async function happened(part: Fields): Promise<void> {
      const { id, type, messageID, sessionID, time, state } = part
      const status = fieldsOf(state)['status']
      const isDone =
        type === 'tool'
          ? status === 'completed' || status === 'error'
          : (type === 'text' || type === 'reasoning') && fieldsOf(time)['end'] !== undefined
      if (!isDone || typeof id !== 'string' || told.has(id)) return
      told.add(id)
      const isSummary = typeof messageID === 'string' && summaries.has(messageID)
      await tell(sessionID, { part, ...(isSummary ? { summary: true } : {}) })
    }
  }

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? { ...value } : {})

const partOf = (session: string, { info }: Message, text: string): Fields => ({
  ...{ id: `prt_twotrack_${session}`, sessionID: session, messageID: info?.['id'] },
  ...{ type: 'text', synthetic: true, text },
})

const listOf = (value: unknown): Fields[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : []

/** OpenCode goes on whatever happens here. */
const quiet =
  (hook: (...given: unknown[]) => Promise<void>) =>
  async (...given: unknown[]): Promise<void> => {
    try {
      await hook(...given)
    } catch {
      // What was not recorded is missing in the log; the session itself is not ours to stop.
    }
  }

function contextIn(output: string): string {
  try {
    const { hookSpecificOutput } = JSON.parse(output)
    const { additionalContext } = fieldsOf(hookSpecificOutput)
    return typeof additionalContext === 'string' ? additionalContext : ''
  } catch {
    return ''
  }
}
