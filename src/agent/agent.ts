import { z } from 'zod'
import type { Json, JsonObject } from '../core/event/json.ts'
import type { Summarizer } from '../summarize/summarizer.ts'
import { mcpServerSchema } from '../tool/mcp-server.ts'
import { externalNames } from '../tool/sandbox/externals.ts'
import type { Tool, ToolContext } from '../tool/tool.ts'
import { policySchema } from '../trust/policy.ts'
import type { ProposeCandidates } from './rule-view.ts'

const json = z.json() as z.ZodType<Json>
const jsonObject = z.record(z.string(), json)
/** A file of the agent's folder that exports what is named there: code of the project, run only if it may be. */
const modulePath = z.string().regex(/^\.\/.+\.m?[jt]s$/, 'a file such as ./tool.ts')
const name = z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, 'lower-case letters, digits, _ and -')

/** When a candidate action is proposed: every field that is given must hold. Keys name knowledge of the state. */
const conditionSchema = z.strictObject({
  known: z.array(z.string()).optional(),
  unknown: z.array(z.string()).optional(),
  equals: z.record(z.string(), json).optional(),
  above: z.record(z.string(), z.number()).optional(),
  /** The last action was a call of this tool with this outcome. */
  last: z
    .strictObject({ tool: z.string(), outcome: z.enum(['success', 'error', 'partial']).optional() })
    .optional(),
  /** The tool was called fewer times than this, over the whole log. */
  called_below: z.record(z.string(), z.int().positive()).optional(),
})
export type Condition = z.infer<typeof conditionSchema>

const ruleSchema = z.strictObject({
  when: conditionSchema.optional(),
  tool: z.string(),
  /** A string `{{key}}` alone is replaced by that knowledge as it is; inside a longer string, by its text (template.ts). */
  args: jsonObject.default({}),
  reason: z.string(),
})
export type Rule = z.infer<typeof ruleSchema>

const statusRuleSchema = z.strictObject({
  when: conditionSchema.optional(),
  /** A sentence or two; templates as in a rule. */
  text: z.string().min(1),
  /** Values of the agent's extension. */
  set: jsonObject.optional(),
})
export type StatusRule = z.infer<typeof statusRuleSchema>

const reasonRuleSchema = z.strictObject({ when: conditionSchema, text: z.string().min(1) })
export type ReasonRule = z.infer<typeof reasonRuleSchema>

const checkSchema = z.strictObject({
  /** Called without arguments before a result is taken, unless it was since the last call that may have changed something. */
  tool: name,
  /** How many problems are left, as a template; without it, as many as are reported. */
  problems: z.string().optional(),
})
export type Check = z.infer<typeof checkSchema>

const scriptToolSchema = z.strictObject({
  name,
  description: z.string().min(1),
  /** Beside agent.yaml, inside the agent's folder. */
  script: z.string().min(1),
  parameters: jsonObject,
  effect: z.enum(['pure', 'idempotent', 'effect']),
  /** What it returns is a tool result, or data with a `_summary`; else it is data. */
  returns: z.literal('tool_result').exactOptional(),
  externals: z.array(z.enum(externalNames)).default([]),
  limits: z.enum(['strict', 'default', 'permissive']).default('default'),
})
export type ScriptToolSpec = z.infer<typeof scriptToolSchema>

/** `agent.yaml`: everything about one kind of agent. Unknown keys are refused. */
export const agentSchema = z.strictObject({
  name,
  operation: name.optional(),
  description: z.string().min(1),
  languages: z.array(z.enum(['python', 'typescript', 'javascript'])).min(1),
  node_types: z.array(z.enum(['file', 'class', 'function', 'method'])).min(1),
  max_turns: z.int().positive().max(200).default(15),
  /** Instructions, before the packet in every prompt. */
  prompt: z.string().min(1),
  /** The goal; {{node_id}}, {{node_name}}, {{node_type}}, {{file_path}}, {{node_text}} are filled in. */
  node_template: z.string().min(1),
  safety: z.array(z.string()).default([]),
  /** Names of tools, files that export one (`./tool.ts`), or scripts. */
  tools: z.array(z.union([name, modulePath, scriptToolSchema])).min(1),
  /** MCP servers, each with those of its tools that the agent gets. */
  mcp: z.array(mcpServerSchema.required({ tools: true })).default([]),
  /** Programs that `run_command` may run, for an agent that has that tool. */
  commands: z
    .array(
      z.strictObject({
        program: z.string().min(1),
        starts: z.array(z.string()).default([]),
        refuse: z.array(z.string()).default([]),
      }),
    )
    .default([]),
  /** What the agent may do with its tools, whatever its model says. */
  policy: policySchema.optional(),
  /** Tool → summarizer that reads its results: a built-in one, or a file that exports one. */
  summarizers: z.record(z.string(), z.string()).default({}),
  /** Names of context providers, asked once before the first turn. */
  context: z.array(name).default([]),
  /** Whether the agent may ask for excerpts of earlier raw output. */
  recall: z.boolean().default(false),
  /** Folders of the project that are linked into the workspace rather than copied. */
  link: z.array(z.string()).default([]),
  extension: z.strictObject({ name, share: z.number().positive().max(0.5), schema: jsonObject }).optional(),
  /** Names of knowledge that tools and context providers give; rules may use these. */
  knowledge: z.array(z.string().min(1)).default([]),
  candidates: z.array(ruleSchema).default([]),
  /** A file that exports a function of the state, which proposes more, after those. */
  propose: modulePath.optional(),
  /** Where the work stands: the first that holds is the packet's state summary. */
  status: z.array(statusRuleSchema).default([]),
  /** Where one of these holds for what the context providers give, there is nothing to do and no agent is begun. */
  skip_when: z.array(reasonRuleSchema).default([]),
  /** What decides whether the work is done, whatever is handed in. */
  check: checkSchema.optional(),
  /** The agent failed, whatever it handed in, where one of these holds at its end; the text says why. */
  fails_when: z.array(reasonRuleSchema).default([]),
  /** JSON Schema of the arguments of submit_result, the tool that ends the run. */
  submit: jsonObject,
})
export type AgentDefinition = z.infer<typeof agentSchema>

/** Where an agent works. */
export interface Target {
  readonly file_path: string
  readonly language: AgentDefinition['languages'][number]
  readonly node: {
    readonly id: string
    readonly type: string
    readonly name: string
    readonly text: string
    /** What it is, in a line or two, from its own code. */
    readonly summary: string
  }
}

/** Asked once before the first turn; what it returns becomes knowledge. One that throws is an event. */
export interface ContextProvider {
  (context: ToolContext): JsonObject | Promise<JsonObject>
  /** As of a tool: it needs no folder, `context.files` at most. */
  readonly filesOnly?: boolean
}

/** The code that a definition's names stand for. */
export interface AgentCode {
  readonly tools: Readonly<Record<string, Tool>>
  readonly context: Readonly<Record<string, ContextProvider>>
  readonly summarizers: Readonly<Record<string, Summarizer>>
}

/** A definition together with its code, checked: every name is there, and exactly one tool ends the run. */
export interface Agent {
  readonly definition: AgentDefinition
  readonly operation: string
  readonly tools: readonly Tool[]
  readonly context: readonly ContextProvider[]
  readonly summarizers: Readonly<Record<string, Summarizer>>
  readonly propose?: ProposeCandidates
  /** Where it came from: `built-in` or the path of its agent.yaml. */
  readonly source: string
}
