import { renderConfig } from '../../config/render.ts'
import { type CommonOptions, configFor } from '../context.ts'
import { paint, print, printJson } from '../output.ts'

/** The configuration in force here, and where each value comes from. */
export async function configCommand(options: CommonOptions): Promise<number> {
  const { config, sources, file } = configFor(options)
  if (options.json) printJson({ config, sources, file: file ?? null })
  else {
    print(paint('dim', `# ${file ?? 'no twotrack.yaml here or above'}`))
    print(renderConfig(config, { sources }))
  }
  return 0
}
