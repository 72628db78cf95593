import { transcriptMarkdown, transcriptText } from '../../audit/transcript/render.ts'
import { transcriptOf } from '../../audit/transcript/transcript.ts'
import { visibleLine } from '../../audit/visible.ts'
import { type CommonOptions, withStore } from '../context.ts'
import { agentMeant, type WhichOptions } from '../names.ts'
import { print } from '../output.ts'

const LINES_MAX_DEFAULT = 40

export interface TranscriptCommandOptions extends CommonOptions, WhichOptions {
  readonly format?: 'text' | 'markdown'
  readonly lines?: number
  readonly full?: boolean
}

/** The conversation as a person reads it; with `--json` a line for each part, whole. */
export async function transcriptCommand(
  agent: string | undefined,
  options: TranscriptCommandOptions,
): Promise<number> {
  return withStore(options, async (store) => {
    const agentId = await agentMeant(store, agent, options)
    const isWhole = options.json || options.full
    const parts = transcriptOf(
      store,
      agentId,
      isWhole ? {} : { lines_max: options.lines ?? LINES_MAX_DEFAULT },
    )
    const render = options.format === 'markdown' ? transcriptMarkdown : transcriptText
    let turn = 0
    if (options.format === 'markdown' && !options.json) print(`# ${visibleLine(agentId)}\n`)
    for await (const part of parts) {
      if (options.json) print(JSON.stringify(part))
      else print(`${render(part, part.turn !== turn)}\n`)
      turn = part.turn
    }
    return 0
  })
}
