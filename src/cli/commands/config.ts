import { configFor } from '../../app/context.ts'
import { renderConfig } from '../../config/render.ts'
import type { CommandWords } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import { type Found, paint } from '../output.ts'

/** The configuration in force here, and where each value comes from. */
async function configCommand(options: CommonOptions): Promise<Found> {
  const { config, sources, file } = configFor(options)
  return {
    json: { config, sources, file: file ?? null },
    lines: () => [
      paint('dim', `# ${file ?? 'no twotrack.yaml here or above'}`),
      renderConfig(config, { sources }),
    ],
  }
}

export default {
  examples: ['config', 'config --set runner.memory.packet_size_limit=2000 --json'],
  call: configCommand,
} satisfies CommandWords
