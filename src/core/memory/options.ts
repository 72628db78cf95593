import { z } from 'zod'
import { TwotrackError } from '../../errors.ts'
import {
  ACTIONS_MAX,
  foldCaps,
  PACKET_TOKENS_DEFAULT,
  PACKET_TOKENS_MIN,
  PROMPT_TOKENS_DEFAULT,
  PROMPT_TOKENS_MAX,
} from '../../limits.ts'
import type { Delta } from '../event/delta.ts'
import type { DataOf, EventFor, Settings, ToolDeclaration } from '../event/event.ts'
import type { JsonObject } from '../event/json.ts'
import type { Identity } from '../event/line.ts'
import type { Packet } from '../packet/packet.ts'
import type { Store } from '../store/store.ts'
import { estimate } from '../tokens/estimate.ts'
import { VIEW } from '../view/view.ts'
import { type Hide, hideNothing } from './hide.ts'

/** Of the packet, for a goal that is not known at the start. */
const GOAL_PERCENT = 18

/** An agent's log: how a new one begins, and what an existing one is opened with. */
export interface LogOptions {
  readonly store: Store
  readonly agentId: string
  readonly runId?: string
  readonly operation?: string
  readonly node?: Packet['node']
  readonly nodeSummary?: string
  /** Needed for a new log; an existing one keeps its own. Null: it is the first thing that a person says (`say`). */
  readonly goal?: string | null
  /** Shows a longer goal by its parts instead of refusing it; for recorded tasks. */
  readonly goalTokensMax?: number
  readonly instructions?: string
  readonly constraints?: Partial<Packet['constraints']>
  readonly tools?: readonly ToolDeclaration[]
  readonly packetSizeLimit?: number
  readonly promptBudget?: number
  readonly rendering?: 'json' | 'outline'
  readonly tokenizer?: string
  /** Tokens that the model's prompt format adds to text and declarations. */
  readonly frameTokens?: number
  readonly recentActions?: number
  /** Fields of the packet that one kind of agent adds, each with its schema and its share of the packet's tokens. */
  readonly extensions?: Readonly<Record<string, { readonly schema: z.ZodType; readonly share: number }>>
  /** Each may propose a change of the packet before a prompt; what it proposes is recorded like everything else. */
  readonly middleware?: readonly ((packet: Packet) => Delta | undefined | Promise<Delta | undefined>)[]
  /** What of the requests to the model is in the log; unless given, prompts are handed over to whoever sends them. */
  readonly wire?: EventFor<'run_start'>['data']['wire']
  /** Where an imported log came from; recorded, never shown. */
  readonly origin?: JsonObject
  /** Events are written together when `flush` is called, with one sync, and count as recorded before. */
  readonly grouped?: boolean
  /** How long to wait for another process that has the log open, in milliseconds; it is refused at once unless given. */
  readonly waitMs?: number
  readonly now?: () => Date
  readonly newId?: () => string
  /** For logs that are the same in every run: two nonces of 128 bits for each event. @internal */
  readonly newNonces?: () => Identity['nonces']
}

export type Middleware = NonNullable<LogOptions['middleware']>[number]

/** The first event's data: everything that shapes this run's packets. */
export function runStartOf(options: LogOptions, hide: Hide = hideNothing): DataOf<'run_start'> {
  if (options.goal === undefined) {
    throw new TwotrackError(
      'missing',
      `There is no log of agent "${options.agentId}" yet, and a new one needs a "goal"; null where it is the first thing that a person says.`,
    )
  }
  return {
    goal: hide.hide(options.goal ?? ''),
    instructions: hide.hide(options.instructions ?? ''),
    node: options.node ?? { id: '-', type: 'task' },
    node_summary: hide.hide(options.nodeSummary ?? ''),
    constraints: {
      max_turns: options.constraints?.max_turns ?? null,
      safety: (options.constraints?.safety ?? []).map(hide.hide),
    },
    // A whole tool is taken too: what a model is told of it is recorded.
    tools: (options.tools ?? []).map(({ name, description, parameters }) => ({
      name,
      description: hide.hide(description),
      parameters,
    })),
    settings: settingsOf(options),
    secrets: hide.on ? 'replaced' : 'off',
    wire: options.wire ?? 'handed_over',
    ...(options.origin ? { origin: hide.hideIn(options.origin) as JsonObject } : {}),
  }
}

function settingsOf(options: LogOptions): Settings {
  const { recentActions: window = ACTIONS_MAX, packetSizeLimit: limit = PACKET_TOKENS_DEFAULT } = options
  if (!Number.isSafeInteger(window) || window < 1) {
    throw new TwotrackError(
      'bad_argument',
      `recentActions is ${window}; a packet shows 1 or more of the last actions.`,
    )
  }
  const later = options.goal === null ? Math.floor((limit * GOAL_PERCENT) / 100) : undefined
  const goalTokens = options.goalTokensMax ?? later
  const extensions = Object.entries(options.extensions ?? {}).map(([name, { schema, share }]) => [
    name,
    { schema: z.toJSONSchema(schema) as JsonObject, share },
  ])
  return {
    packet_size_limit: limit,
    prompt_budget: options.promptBudget ?? PROMPT_TOKENS_DEFAULT,
    tokenizer: options.tokenizer ?? estimate.name,
    frame_tokens: options.frameTokens ?? 0,
    rendering: options.rendering ?? 'outline',
    view: VIEW,
    caps: {
      ...foldCaps(limit),
      window_actions: window,
      ...(goalTokens === undefined ? {} : { goal_tokens: goalTokens }),
    },
    extensions: Object.fromEntries(extensions),
  }
}

/** The settings that a run with another limit of its packet would have. */
export function withLimit(settings: Settings, limit: number): Settings {
  if (limit < PACKET_TOKENS_MIN || limit > PROMPT_TOKENS_MAX)
    throw new TwotrackError(
      'bad_argument',
      `A packet of ${limit} tokens can't be made; give ${PACKET_TOKENS_MIN} to ${PROMPT_TOKENS_MAX}.`,
    )
  const { packet_size_limit, prompt_budget, caps } = settings
  const { goal_tokens, window_actions } = caps
  return {
    ...settings,
    packet_size_limit: limit,
    // What instructions and tools had beside the packet, they keep.
    prompt_budget: Math.max(0, limit + prompt_budget - packet_size_limit),
    caps: {
      ...foldCaps(limit),
      ...(window_actions === undefined ? {} : { window_actions }),
      ...(goal_tokens === undefined
        ? {}
        : { goal_tokens: Math.floor((goal_tokens * limit) / Math.max(1, packet_size_limit)) }),
    },
  }
}
