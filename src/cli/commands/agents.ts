import { loadAgents } from '../../agents/load.ts'
import { type CommonOptions, configFor } from '../context.ts'
import { modelAssignments, reachable } from '../model.ts'
import { paint, print, printJson, safe, table } from '../output.ts'
import { trustOf } from '../trust.ts'

export interface AgentsOptions extends CommonOptions {
  readonly model?: string
  readonly url?: string
  readonly trust?: boolean
}

/** The agents that can be run here, whether each is valid, and whether the model answers. */
export async function agentsCommand(options: AgentsOptions): Promise<number> {
  const loaded = configFor({ ...options, set: [...(options.set ?? []), ...modelAssignments(options)] })
  const { trusts } = await trustOf(loaded.root, options)
  const { agents, problems } = await loadAgents({ project: loaded.root, trusts })
  const model = await reachable(loaded, trusts)
  if (options.json) {
    printJson({
      agents: [...agents.values()].map(({ definition, source, tools }) => ({
        ...definition,
        source,
        tools: tools.map(({ name }) => name),
      })),
      problems,
      model,
    })
  } else {
    print(
      table(
        ['agent', 'from', 'turns', 'works on', 'tools'],
        [...agents.values()].map(({ definition, source, tools }) => [
          definition.name,
          source,
          definition.max_turns,
          `${definition.node_types.join(', ')}: ${definition.languages.join(', ')}`,
          tools.map(({ name }) => name).join(' '),
        ]),
      ),
    )
    for (const { source, message } of problems)
      print(`${paint('red', 'not valid')} ${safe(source)}: ${safe(message)}`)
    print(
      `\nmodel ${safe(model.name)}: ${model.ok ? paint('green', 'answers') : paint('red', safe(model.message))}`,
    )
  }
  return problems.length > 0 || !model.ok ? 1 : 0
}
