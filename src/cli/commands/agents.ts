import { agentsAndModel, type DoctorOptions } from '../../app/doctor.ts'
import { type CommandWords, MODEL, TRUST } from '../command.ts'
import { terminal } from '../front.ts'
import { type Found, paint, safe, table } from '../output.ts'

/** The agents that can be run here, whether each is valid, and whether the model answers. */
async function agentsCommand(options: DoctorOptions): Promise<Found> {
  const found = await agentsAndModel(options, terminal)
  const { agents, problems, model } = found
  return {
    json: found,
    code: problems.length > 0 || !model.ok ? 1 : 0,
    lines: () => [
      table(
        ['agent', 'from', 'turns', 'works on', 'tools'],
        agents.map(({ name, source, max_turns, node_types, languages, tools }) => {
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
