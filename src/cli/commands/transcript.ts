import { transcriptMarkdown, transcriptOf, transcriptText } from '../../audit/transcript.ts'
import { visibleLine } from '../../audit/visible.ts'
import { type CommonOptions, withAgent } from '../context.ts'
import type { WhichOptions } from '../names.ts'
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
  const { json, full, lines: lines_max = LINES_MAX_DEFAULT, format } = options
  return withAgent(agent, options, async (store, agentId) => {
    const render = format === 'markdown' ? transcriptMarkdown : transcriptText
    let turn = 0
    if (format === 'markdown' && !json) print(`# ${visibleLine(agentId)}\n`)
    for await (const part of transcriptOf(store, agentId, json || full ? {} : { lines_max })) {
      print(json ? JSON.stringify(part) : `${render(part, part.turn !== turn)}\n`)
      turn = part.turn
    }
    return 0
  })
}
