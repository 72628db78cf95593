import { loadAgents } from '../../agents/load.ts'
import { messageOf } from '../../errors.ts'
import { modelFaultOf } from '../../model/faults.ts'
import { ask, endpointOf } from '../../model/http.ts'
import { type CommonOptions, configFor } from '../context.ts'
import { modelAssignments, modelFor } from '../model.ts'
import { paint, print, printJson, safe, table } from '../output.ts'

export interface AgentsOptions extends CommonOptions {
  readonly model?: string
  readonly url?: string
}

/** The agents that can be run here, whether each is valid, and whether the model answers. */
export async function agentsCommand(options: AgentsOptions): Promise<number> {
  const loaded = configFor({ ...options, set: [...(options.set ?? []), ...modelAssignments(options)] })
  const { agents, problems } = await loadAgents({ project: loaded.root })
  const model = await reachable(loaded.config)
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
        ['agent', 'works on', 'turns', 'tools', 'from'],
        [...agents.values()].map(({ definition, source, tools }) => [
          definition.name,
          `${definition.languages.join(', ')} ${definition.node_types.join(', ')}`,
          definition.max_turns,
          tools.map(({ name }) => name).join(' '),
          source,
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

const PROBE_MS = 5_000

/** Asks the configured model's server for its list of models; the embedded default is always there. */
export async function reachable(
  config: ReturnType<typeof configFor>['config'],
): Promise<{ name: string; ok: boolean; message: string }> {
  const { adapter, url, name, server } = config.model
  const shown = name === '' ? adapter : `${adapter}:${name}`
  try {
    modelFor(config)
    if (adapter === 'first-candidate') return { name: shown, ok: true, message: 'embedded' }
    if (url === '') return { name: shown, ok: true, message: 'the default server was not asked' }
    const endpoint = endpointOf(url.replace(/\/v1\/?$/, ''), PROBE_MS)
    const path = server === 'ollama' ? '/api/tags' : '/v1/models'
    await ask(endpoint, { path }, new AbortController().signal, async () => ({}))
    return { name: shown, ok: true, message: 'answers' }
  } catch (thrown) {
    // A server that refuses this one question, or asks for a key first, is there.
    const kind = modelFaultOf(thrown)?.kind
    return { name: shown, ok: kind === 'rejected' || kind === 'unauthorized', message: messageOf(thrown) }
  }
}
