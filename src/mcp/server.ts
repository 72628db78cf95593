import type { McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { listAgents } from '../app/agents.ts'
import { blindSpotsOf } from '../app/blindspots.ts'
import type { Project } from '../app/context.ts'
import { eventAt, rawBytes, searchRaw } from '../app/events.ts'
import { agentMeant } from '../app/names.ts'
import { changedBetween, redactedNote, replayAt } from '../app/replay.ts'
import { verifyAll } from '../app/verify.ts'
import { whyOf } from '../app/why.ts'
import { defined } from '../core/event/json.ts'
import type { Store } from '../core/store/store.ts'
import { messageOf, missingPackage } from '../errors.ts'
import { VERSION } from '../version.ts'

/** What one answer may hold; whoever asks can ask for less, or for the next part. */
const ANSWER_CHARS_MAX = 40_000
const AGENTS_DEFAULT = 50
const RAW_BYTES_DEFAULT = 8_000

const agent = z.string().describe('the name of an agent, or a part of it that no other has')
const turn = z.int().nonnegative().optional().describe('the last turn unless given')

/** The logs of a project for any MCP client. It only reads: there is no tool that changes a log, a file or a setting. */
export async function mcpServer(store: Store, project: Pick<Project, 'folder' | 'root'>): Promise<McpServer> {
  const { McpServer: Server } = await import('@modelcontextprotocol/server').catch((thrown: unknown) => {
    throw missingPackage(thrown, 'twotrack mcp', ['@modelcontextprotocol/server'])
  })
  const server = new Server(
    { name: 'twotrack', version: VERSION },
    {
      instructions:
        'Recorded runs of agents. Begin with "runs"; "packet" is all that an agent knew at a turn.',
    },
  )
  /** A tool that finds something in the logs; an error says what to ask instead. */
  const tool = <Input>(
    name: string,
    description: string,
    schema: z.ZodType<Input>,
    find: (input: Input) => Promise<unknown>,
  ): void => {
    const inputSchema: StandardSchemaWithJSON = schema
    const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }
    server.registerTool(name, { description, inputSchema, annotations }, async (input) => {
      try {
        const found = await find(schema.parse(input))
        return {
          content: [
            { type: 'text', text: bounded(typeof found === 'string' ? found : JSON.stringify(found)) },
          ],
        }
      } catch (thrown) {
        return { content: [{ type: 'text', text: messageOf(thrown) }], isError: true }
      }
    })
  }
  const named = (given: string) => agentMeant(store, given, {})

  tool(
    'runs',
    'Lists the agents that ran and what became of them, the newest last.',
    z.object({
      operation: z.string().optional(),
      node: z.string().optional(),
      run: z.string().optional(),
      most: z.int().positive().max(1000).default(AGENTS_DEFAULT),
    }),
    async ({ operation, node: node_id, run: run_id, most }) =>
      (await listAgents(store, defined({ operation, node_id, run_id, most }))).agents,
  )
  tool(
    'packet',
    'All that an agent was shown at a turn, or would have been with another limit in tokens.',
    z.object({ agent, turn, limit: z.int().positive().max(200_000).optional() }),
    async ({ agent: given, ...place }) => {
      const { prompt, redacted } = await replayAt(store, await named(given), defined(place))
      return [prompt, redactedNote(redacted)].filter((text) => text !== undefined).join('\n\n')
    },
  )
  tool(
    'recall',
    'Bytes of the raw output, prompt or completion of one event, as they were.',
    z.object({
      agent,
      seq: z.int().positive(),
      from: z.int().nonnegative().default(0),
      bytes: z.int().positive().max(ANSWER_CHARS_MAX).default(RAW_BYTES_DEFAULT),
    }),
    async ({ agent: given, seq, from, bytes }) => {
      const event = await eventAt(store, await named(given), seq)
      const { bytes: found, ...raw } = await rawBytes(store, event, { from, to: from + bytes })
      return { ...raw, text: new TextDecoder().decode(found) }
    },
  )
  tool(
    'search',
    'Where raw outputs, prompts and completions of an agent hold a text.',
    z.object({ agent, text: z.string().min(1) }),
    async ({ agent: given, text }) => searchRaw(store, await named(given), text),
  )
  tool(
    'why',
    'Where a value of the packet comes from: a pointer into it such as /last_error, or text that it shows.',
    z.object({ agent, of: z.string().min(1), turn }),
    async ({ agent: given, of, turn: at }) => (await whyOf(store, await named(given), of, at)).answer,
  )
  tool(
    'diff',
    'What changed in the packet between two turns.',
    z.object({ agent, from: z.int().nonnegative(), to: z.int().nonnegative() }),
    async ({ agent: given, from, to }) => changedBetween(store, await named(given), from, to),
  )
  tool(
    'blind_spots',
    'What raw output said and the packet did not show when it mattered.',
    z.object({ agent, turn, most: z.int().positive().max(100).default(10) }),
    async ({ agent: given, ...how }) => blindSpotsOf(store, [await named(given)], defined(how)),
  )
  tool(
    'verify',
    'Checks that nobody changed a log, and that each prompt follows from the events before it; of a log with an "unknown_view" no prompt could be checked.',
    z.object({ agent: agent.optional().describe('all agents unless given') }),
    async ({ agent: given }) =>
      verifyAll(store, {
        ...{ folder: project.folder, project: project.root },
        some: given === undefined ? undefined : [await named(given)],
      }),
  )
  return server
}

const bounded = (text: string): string =>
  text.length <= ANSWER_CHARS_MAX
    ? text
    : `${text.slice(0, ANSWER_CHARS_MAX)}\n[${text.length - ANSWER_CHARS_MAX} characters more: ask for less]`
