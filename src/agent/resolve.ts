import { isObject, type JsonObject } from '../core/event/json.ts'
import { messageOf, TwotrackError } from '../errors.ts'
import { builtInSummarizers } from '../summarize/built-in.ts'
import { genericSummarizer } from '../summarize/generic.ts'
import { isSummarizer, type Summarizer } from '../summarize/summarizer.ts'
import { nearest } from '../text/suggest.ts'
import { toolName } from '../tool/mcp-server.ts'
import { recallTool } from '../tool/recall.ts'
import { type RunCommandOptions, runCommandTool } from '../tool/run-command.ts'
import { scriptProblem } from '../tool/sandbox/sandbox.ts'
import { objectInput, type Tool } from '../tool/tool.ts'
import type { Policy } from '../trust/policy.ts'
import type { Agent, AgentCode, AgentDefinition, Condition } from './agent.ts'
import type { AgentProblem } from './parse.ts'
import type { ProposeCandidates } from './rule-view.ts'
import { agentScript } from './script.ts'
import { SUBMIT_TOOL, submitTool } from './submit.ts'
import { knowledgeIn, TARGET_NAMES, templateNames } from './template.ts'

export interface Unresolved {
  readonly definition: AgentDefinition
  readonly source: string
  /** Where a key of the definition is written. */
  readonly at: (key: readonly PropertyKey[]) => AgentProblem
  /** What the definition's names can stand for. */
  readonly code: AgentCode
  /** Reads a script beside the agent.yaml. */
  readonly readScript: (path: string) => Promise<string>
  /** Gives the default export of a module beside the agent.yaml; refuses where code of the project may not run. */
  readonly loadModule: (path: string) => Promise<unknown>
}

/** A definition with the code behind its names, or everything that is wrong with it. */
export async function resolveAgent(unresolved: Unresolved): Promise<Agent | { problems: AgentProblem[] }> {
  const { definition, source, at, code } = unresolved
  const problems: AgentProblem[] = []
  const report = (key: readonly PropertyKey[], message: string) => problems.push({ ...at(key), message })
  const tools = await toolsOf(unresolved, report)
  const known = [...tools, ...mcpToolsOf(definition, tools, report)]
  const context = definition.context.flatMap((name, index) => {
    const provider = ownOf(code.context, name)
    if (!provider) report(['context', index], unknown('context provider', name, Object.keys(code.context)))
    return provider ? [provider] : []
  })
  checkRules(definition, known, report)
  checkPolicy(definition.policy ?? {}, known, report)
  for (const name of templateNames(definition.node_template))
    if (!TARGET_NAMES.some((known) => known === name))
      report(['node_template'], unknown('name for a node template', name, TARGET_NAMES))
  if (definition.extension)
    attempt(() => objectInput(definition.extension?.schema ?? {}), ['extension', 'schema'], report)
  const propose =
    definition.propose === undefined
      ? undefined
      : await exported(unresolved, definition.propose, ['propose'], isPropose, 'function', report)
  const summarizers = { ...code.summarizers, ...(await summarizersOf(unresolved, known, report)) }
  if (problems.length > 0) return { problems }
  return {
    definition,
    operation: definition.operation ?? definition.name,
    tools,
    context,
    summarizers,
    ...(propose ? { propose } : {}),
    source,
  }
}

type Report = (key: readonly PropertyKey[], message: string) => void

async function toolsOf(unresolved: Unresolved, report: Report): Promise<Tool[]> {
  const { definition, code, readScript } = unresolved
  const command: RunCommandOptions | undefined =
    definition.commands.length > 0 ? { allow: definition.commands } : undefined
  const known: Record<string, Tool> = {
    ...code.tools,
    ...(command ? { run_command: runCommandTool(command) } : {}),
  }
  const tools = new Map<string, Tool>()
  for (const [index, item] of definition.tools.entries()) {
    const key = ['tools', index]
    const own = isModule(item) ? await exported(unresolved, item, key, isTool, 'tool', report) : undefined
    if (isModule(item) && !own) continue
    const name = own?.name ?? (typeof item === 'string' ? item : item.name)
    if (name === SUBMIT_TOOL) report(key, `${SUBMIT_TOOL} is made from "submit"; leave it out of "tools"`)
    else if (tools.has(name)) report(key, `the tool ${name} is there twice`)
    else if (own) tools.set(name, own)
    else if (typeof item !== 'string') {
      const input = attempt(() => objectInput(item.parameters), [...key, 'parameters'], report)
      const script = await usable(item.script, readScript, (message) => report([...key, 'script'], message))
      if (item.externals.includes('run_command') && !command)
        report([...key, 'externals'], 'run_command needs "commands", the programs that it may run')
      if (input && script !== undefined) tools.set(name, agentScript(item, input, script, command))
    } else {
      const tool = ownOf(known, name)
      if (tool) tools.set(name, tool)
      else if (name === 'run_command')
        report(key, 'run_command needs "commands", the programs that it may run')
      else report(key, unknown('tool', name, Object.keys(known)))
    }
  }
  if (definition.recall) tools.set(recallTool.name, recallTool)
  const submit = attempt(() => submitTool(definition.submit), ['submit'], report)
  return [...tools.values(), ...(submit ? [submit] : [])]
}

/** What is known of the tools of MCP servers before these run: their names. */
function mcpToolsOf({ mcp, policy }: AgentDefinition, own: readonly Tool[], report: Report): Tool[] {
  if (mcp.length > 0 && policy?.network)
    report(
      ['mcp'],
      'a policy with "network" can not bound what an MCP server reaches: leave one of the two out',
    )
  const names = new Set(own.map(({ name }) => name))
  return mcp.flatMap(({ name: server, command, url, tools }, index) => {
    if ((command === undefined) === (url === undefined))
      report(['mcp', index], `the server ${server} needs either "command" or "url"`)
    return tools.map((tool, at): Tool => {
      const name = toolName(tool)
      if (names.has(name)) report(['mcp', index, 'tools', at], `the tool ${name} is there twice`)
      names.add(name)
      const run = () => Promise.reject(new TwotrackError('closed', `${server} was not started`))
      return {
        name,
        description: '',
        effect: 'effect',
        parameters: {},
        check: () => ({ ok: true, args: {} }),
        run,
      }
    })
  })
}

/** A script as it is, once it loads in the sandbox: what is wrong in it shows before a run. */
async function usable(
  path: string,
  readScript: Unresolved['readScript'],
  report: (message: string) => void,
): Promise<string | undefined> {
  try {
    const source = await readScript(path)
    const problem = await scriptProblem(source)
    if (problem === undefined) return source
    report(`${path}: ${problem}`)
  } catch (thrown) {
    report(messageOf(thrown))
  }
  return undefined
}

/** A rule that calls what is not there, or with other arguments, would only show as an error in every run. */
function checkRules(
  { candidates, status, skip_when, check, fails_when, extension, knowledge }: AgentDefinition,
  tools: readonly Tool[],
  report: Report,
): void {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  for (const [index, rule] of candidates.entries()) {
    const { tool: name, args, when = {} } = rule
    const tool = byName.get(name)
    if (!tool) report(['candidates', index, 'tool'], unknown('tool', name, [...byName.keys()]))
    else checkArgs(tool, args, (message) => report(['candidates', index, 'args'], message))
    checkNames(['candidates', index], when, knowledgeIn(rule))
  }
  for (const [index, { when = {}, text, set = {} }] of status.entries()) {
    checkNames(['status', index], when, knowledgeIn({ when, args: set, reason: text }))
    for (const name of Object.keys(set))
      if (name !== extension?.name)
        report(['status', index, 'set'], unknown('extension', name, extension ? [extension.name] : []))
  }
  for (const [key, rules] of Object.entries({ skip_when, fails_when }))
    for (const [index, { when, text }] of rules.entries())
      checkNames([key, index], when, knowledgeIn({ when, args: {}, reason: text }))
  if (check && !byName.has(check.tool))
    report(['check', 'tool'], unknown('tool', check.tool, [...byName.keys()]))
  checkNames(['check', 'problems'], {}, knowledgeIn({ args: {}, reason: check?.problems ?? '' }))

  function checkNames(key: readonly PropertyKey[], when: Condition, named: readonly string[]): void {
    for (const called of [...Object.keys(when.called_below ?? {}), ...(when.last ? [when.last.tool] : [])])
      if (!byName.has(called)) report([...key, 'when'], unknown('tool', called, [...byName.keys()]))
    for (const name of named)
      if (!knowledge.includes(name))
        report(key, `${unknown('knowledge', name, knowledge)} (the key "knowledge" lists it)`)
  }
}

/** A policy that names what is not there would protect nothing. */
function checkPolicy(policy: Policy, tools: readonly Tool[], report: Report): void {
  const names = tools.map(({ name }) => name)
  for (const name of policy.tools ?? [])
    if (!names.includes(name)) report(['policy', 'tools'], unknown('tool', name, names))
  for (const name of policy.ask ?? [])
    if (![...EFFECTS, ...names].includes(name))
      report(['policy', 'ask'], unknown('tool or effect', name, [...EFFECTS, ...names]))
  for (const [name, rules] of Object.entries(policy.args ?? {})) {
    const tool = tools.find((one) => one.name === name)
    const fields = fieldsOf(tool)
    if (!tool) report(['policy', 'args'], unknown('tool', name, names))
    else if (fields)
      for (const field of Object.keys(rules))
        if (!fields.includes(field))
          report(['policy', 'args', name], unknown(`argument of ${name}`, field, fields))
  }
}

/** Undefined for a tool that a server is still to describe. */
const fieldsOf = (tool: Tool | undefined): string[] | undefined =>
  tool && Object.keys(tool.parameters).length > 0
    ? Object.keys(tool.parameters['properties'] ?? {})
    : undefined

const EFFECTS = ['effect', 'idempotent']

function checkArgs(tool: Tool, args: JsonObject, report: (message: string) => void): void {
  const fields = fieldsOf(tool)
  for (const name of fields ? Object.keys(args) : [])
    if (!fields?.includes(name)) report(unknown(`argument of ${tool.name}`, name, fields ?? []))
  const required = tool.parameters['required']
  for (const name of Array.isArray(required) ? required : [])
    if (typeof name === 'string' && !Object.hasOwn(args, name)) report(`${tool.name} also needs ${name}`)
}

const named: Readonly<Record<string, Summarizer>> = Object.fromEntries(
  [...builtInSummarizers, genericSummarizer].map((summarizer) => [summarizer.name, summarizer]),
)

async function summarizersOf(
  unresolved: Unresolved,
  tools: readonly Tool[],
  report: Report,
): Promise<Record<string, Summarizer>> {
  const names = tools.map((tool) => tool.name)
  const found: Record<string, Summarizer> = {}
  for (const [tool, wanted] of Object.entries(unresolved.definition.summarizers)) {
    const key = ['summarizers', tool]
    if (!names.includes(tool)) report(key, unknown('tool', tool, names))
    const summarizer = isModule(wanted)
      ? await exported(unresolved, wanted, key, isSummarizer, 'summarizer', report)
      : ownOf(named, wanted)
    if (summarizer) found[tool] = summarizer
    else if (!isModule(wanted)) report(key, unknown('summarizer', wanted, Object.keys(named)))
  }
  return found
}

const isModule = (item: unknown): item is string => typeof item === 'string' && item.startsWith('./')

/** What a file of the agent's folder exports, if it is of that kind; what is wrong is reported. */
async function exported<Value>(
  { loadModule }: Unresolved,
  path: string,
  key: readonly PropertyKey[],
  is: (value: unknown) => value is Value,
  kind: keyof typeof MAKERS,
  report: Report,
): Promise<Value | undefined> {
  try {
    const value = await loadModule(path)
    if (is(value)) return value
    report(key, `the default export of ${path} is no ${kind}; ${MAKERS[kind]}`)
  } catch (thrown) {
    report(key, `${path}: ${messageOf(thrown)}`)
  }
  return undefined
}

const MAKERS = {
  tool: 'make it with defineTool() of twotrack/tool',
  summarizer: 'make it with defineSummarizer() of twotrack',
  function: 'write one of the state, such as ({ knowledge }) => [{ tool, args, reason }]',
}

const isPropose = (value: unknown): value is ProposeCandidates => typeof value === 'function'

const isTool = (value: unknown): value is Tool =>
  isObject(value) &&
  typeof value['name'] === 'string' &&
  typeof value['run'] === 'function' &&
  typeof value['check'] === 'function'

function attempt<Value>(make: () => Value, key: readonly PropertyKey[], report: Report): Value | undefined {
  try {
    return make()
  } catch (thrown) {
    report(key, `${key.join('.')}: ${messageOf(thrown)}`)
    return undefined
  }
}

function unknown(kind: string, name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  const hint = meant === undefined ? `known: ${known.join(', ') || 'none'}` : `did you mean ${meant}?`
  return `there is no ${kind} "${name.slice(0, 80)}"; ${hint}`
}

const ownOf = <Value>(holder: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(holder, name) ? holder[name] : undefined
