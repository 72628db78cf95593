import type { CallToolResult, Client } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { canonical, isObject, type JsonObject, toJson } from '../core/event/json.ts'
import { estimate } from '../core/tokens/estimate.ts'
import { messageOf, missingPackage, TwotrackError } from '../errors.ts'
import { VERSION } from '../version.ts'
import { type McpServerSpec, mcpServerSchema, toolName } from './mcp-server.ts'
import { declarationOf, objectInput, type Tool } from './tool.ts'

const START_MS = 30_000
const CALL_MS = 120_000
/** What the declarations of one server's tools may take of every prompt, unless told otherwise. */
const DECLARATION_TOKENS = 2_000
/** Of one message of a server. The protocol's client copies what it has with each part that comes: four times of this take minutes. */
const MESSAGE_BYTES_MAX = 16_000_000

export interface McpTools {
  readonly tools: readonly Tool[]
  close(): Promise<void>
}

export interface McpOptions {
  /** Where the server's program runs. */
  readonly cwd?: string
  readonly signal?: AbortSignal
}

/**
 * The tools of an MCP server. A call that the server does not answer, because it died, hangs or sends too much, is an
 * error result; the next call starts the server again.
 */
export async function mcpTools(spec: McpServerSpec, options: McpOptions = {}): Promise<McpTools> {
  const server = mcpServerSchema.parse(spec)
  if ((server.command === undefined) === (server.url === undefined))
    throw new TwotrackError(
      'bad_argument',
      `The MCP server "${server.name}" needs either a command or a url.`,
    )
  const connection = new Connection(server, options)
  try {
    const client = await connection.client()
    const { tools: listed } = await client.listTools(undefined, timed(START_MS, options.signal))
    const tools = allowed(server, listed).map((one) => toolOf(server, one, connection))
    assertSmall(server, tools)
    return { tools, close: () => connection.close() }
  } catch (thrown) {
    await connection.close()
    throw thrown instanceof TwotrackError ? thrown : failed(server, 'could not be started', thrown)
  }
}

/** Servers that several agents use: each is started once, with the first that needs it. */
export class McpServers {
  readonly #options: McpOptions
  readonly #started = new Map<string, Promise<McpTools>>()

  constructor(options: McpOptions) {
    this.#options = options
  }

  async toolsOf(servers: readonly McpServerSpec[]): Promise<Tool[]> {
    const started = await Promise.all(servers.map((server) => this.#start(server)))
    return started.flatMap(({ tools }) => tools)
  }

  #start(server: McpServerSpec): Promise<McpTools> {
    const key = canonical(toJson(server))
    const known = this.#started.get(key) ?? mcpTools(server, this.#options)
    this.#started.set(key, known)
    return known
  }

  async close(): Promise<void> {
    for (const started of this.#started.values())
      await started.then((server) => server.close()).catch(() => {})
  }
}

const timed = (timeout: number, signal: AbortSignal | undefined) => ({
  timeout,
  maxTotalTimeout: timeout,
  ...(signal ? { signal } : {}),
})

/** A client that is connected when it is asked for. */
class Connection {
  readonly #server: McpServerSpec
  readonly #options: McpOptions
  #client: Promise<Client> | undefined

  constructor(server: McpServerSpec, options: McpOptions) {
    this.#server = server
    this.#options = options
  }

  client(): Promise<Client> {
    this.#client ??= this.#connect().catch((thrown: unknown) => {
      this.#client = undefined
      throw thrown
    })
    return this.#client
  }

  async #connect(): Promise<Client> {
    const { command, args = [], env = {}, url = '' } = this.#server
    const { cwd } = this.#options
    const what = `The MCP server "${this.#server.name}"`
    const packages = ['@modelcontextprotocol/client']
    try {
      const { Client: Made, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
      const { getDefaultEnvironment, StdioClientTransport } = await import(
        '@modelcontextprotocol/client/stdio'
      )
      const client = new Made(
        { name: 'twotrack', version: VERSION },
        { versionNegotiation: { mode: 'auto' } },
      )
      client.onclose = () => {
        this.#client = undefined
      }
      const transport =
        command === undefined
          ? new StreamableHTTPClientTransport(new URL(url))
          : new StdioClientTransport({
              ...{ command, args, env: { ...getDefaultEnvironment(), ...env } },
              ...(cwd === undefined ? {} : { cwd }),
              ...{ stderr: 'ignore', maxBufferSize: MESSAGE_BYTES_MAX },
            })
      await client.connect(transport, timed(START_MS, this.#options.signal))
      return client
    } catch (thrown) {
      throw missingPackage(thrown, what, packages)
    }
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined)
    this.#client = undefined
    await client?.close().catch(() => {})
  }
}

type Listed = Awaited<ReturnType<Client['listTools']>>['tools'][number]

/** The tools that the definition names, in its order; one that the server does not have is no typing mistake to guess at. */
function allowed(server: McpServerSpec, listed: readonly Listed[]): Listed[] {
  if (server.tools === undefined) return [...listed]
  return server.tools.map((name) => {
    const found = listed.find((tool) => tool.name === name)
    if (found) return found
    const known = listed.map((tool) => tool.name).join(', ')
    throw new TwotrackError(
      'bad_argument',
      `The MCP server "${server.name}" has no tool "${name}"; it has: ${known}.`,
    )
  })
}

/** Declarations stand in every prompt: a server with forty tools would leave no space for the packet. */
function assertSmall(server: McpServerSpec, tools: readonly Tool[]): void {
  const most = server.declaration_tokens ?? DECLARATION_TOKENS
  const sizes = tools.map((tool) => [tool.name, estimate.count(canonical(declarationOf(tool)))] as const)
  const total = sizes.reduce((sum, [, tokens]) => sum + tokens, 0)
  if (total <= most) return
  const shown = sizes.map(([name, tokens]) => `${name} ${tokens}`).join(', ')
  throw new TwotrackError(
    'budget_too_small',
    `The tools of the MCP server "${server.name}" would take ${total} tokens of every prompt, and may take ${most}. ` +
      `Name those that are needed in "tools", or raise "declaration_tokens". They take: ${shown}.`,
  )
}

function toolOf(server: McpServerSpec, listed: Listed, connection: Connection): Tool {
  const parameters = toJson(listed.inputSchema)
  const schema: JsonObject = isObject(parameters) ? (parameters as JsonObject) : { type: 'object' } // an object of JSON is one
  const input = inputOf(schema)
  return {
    name: toolName(listed.name),
    description: listed.description ?? listed.title ?? '',
    effect: effectOf(server, listed),
    parameters: schema,
    filesOnly: true,
    check(args) {
      const parsed = input.safeParse(args)
      if (parsed.success) return { ok: true, args: parsed.data as JsonObject } // JSON as it was given
      return {
        ok: false,
        message: parsed.error.issues
          .map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`)
          .slice(0, 5)
          .join('; '),
      }
    },
    async run(args, { signal }) {
      try {
        const client = await connection.client()
        const result: CallToolResult = await client.callTool(
          { name: listed.name, arguments: args },
          timed(CALL_MS, signal),
        )
        return result
      } catch (thrown) {
        signal.throwIfAborted()
        throw failed(server, `did not answer ${listed.name}`, thrown)
      }
    },
  }
}

/** A schema that can't be checked here is checked by the server. */
function inputOf(schema: JsonObject): z.ZodObject {
  try {
    return objectInput(schema)
  } catch {
    return z.looseObject({})
  }
}

/** A server's own word counts only where a person trusts it: what it calls harmless may then run again after a crash. */
function effectOf({ trusted }: McpServerSpec, { annotations }: Listed): Tool['effect'] {
  if (!trusted) return 'effect'
  if (annotations?.readOnlyHint === true) return 'pure'
  return annotations?.idempotentHint === true ? 'idempotent' : 'effect'
}

const failed = ({ name }: McpServerSpec, what: string, thrown: unknown): TwotrackError =>
  new TwotrackError('io', `The MCP server "${name}" ${what}: ${messageOf(thrown)}`, { cause: thrown })
