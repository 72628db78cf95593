import { loadAgents } from '../../agents/load.ts'
import { configWithModel, type ModelOptions, reachable } from '../../app/model.ts'
import { type TrustOptions, trustOf } from '../../app/trust.ts'
import { type CommandWords, MODEL, TRUST } from '../command.ts'
import { terminal } from '../front.ts'
import type { CommonOptions } from '../options.ts'
import { type Found, paint, safe, table } from '../output.ts'

/** The agents that can be run here, whether each is valid, and whether the model answers. */
async function agentsCommand(options: CommonOptions & ModelOptions & TrustOptions): Promise<Found> {
  const loaded = configWithModel(options)
  const { trusts } = await trustOf(loaded.root, options, terminal)
  const { agents, problems } = await loadAgents({ project: loaded.root, trusts })
  const model = await reachable(loaded, trusts, terminal)
  const all = [...agents.values()].map(({ definition, source, tools }) => ({
    ...definition,
    source,
    tools: tools.map(({ name }) => name),
  }))
  return {
    json: { agents: all, problems, model },
    code: problems.length > 0 || !model.ok ? 1 : 0,
    lines: () => [
      table(
        ['agent', 'from', 'turns', 'works on', 'tools'],
        all.map(({ name, source, max_turns, node_types, languages, tools }) => {
          const worksOn = `${node_types.join(', ')}: ${languages.join(', ')}`
          return [name, source, max_turns, worksOn, tools.join(' ')]
        }),
      ),
      ...problems.map(
        ({ source, message }) => `${paint('red', 'not valid')} ${safe(source)}: ${safe(message)}`,
      ),
      `\nmodel ${safe(model.name)}: ${model.ok ? paint('green', 'answers') : paint('red', safe(model.message))}`,
    ],
  }
}

export default {
  examples: ['agents', 'agents --json'],
  options: [...MODEL, TRUST],
  call: agentsCommand,
} satisfies CommandWords
