import { streamFrom } from '../../app/context.ts'
import { agentMeant, type WhichOptions } from '../../app/names.ts'
import { transcriptMarkdown, transcriptOf, transcriptText } from '../../audit/transcript.ts'
import { visibleLine } from '../../audit/visible.ts'
import { type CommandWords, LAST_AGENT, wholeNumber } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import type { Found } from '../output.ts'

const LINES_MAX_DEFAULT = 40

interface TranscriptCommandOptions extends CommonOptions, WhichOptions {
  readonly format?: 'text' | 'markdown'
  readonly lines?: number
  readonly full?: boolean
}

/** The conversation as a person reads it; with `--json` a line for each part, whole. */
async function transcriptCommand(
  agent: string | undefined,
  options: TranscriptCommandOptions,
): Promise<Found> {
  const { json, full, lines: linesMax = LINES_MAX_DEFAULT, format } = options
  const isMarkdown = format === 'markdown'
  const render = isMarkdown ? transcriptMarkdown : transcriptText
  const each = streamFrom(options, async function* (store) {
    const agentId = await agentMeant(store, agent, options)
    let before: number | undefined
    for await (const part of transcriptOf(store, agentId, json || full ? {} : { linesMax })) {
      const title = isMarkdown && before === undefined && `# ${visibleLine(agentId)}\n`
      const beginsTurn = part.turn !== (before ?? 0)
      before = part.turn
      yield { json: part, lines: () => [title, `${render(part, beginsTurn)}\n`] }
    }
  })
  return { each }
}

export default {
  takes: '[agent]',
  examples: [
    'transcript lint#3',
    'transcript import-run --format markdown > run.md',
    'transcript import-run --full | less',
  ],
  options: [
    LAST_AGENT,
    ['--format <format>', 'how it is written', ['text', 'markdown'], 'text'],
    ['--lines <n>', 'lines of each output that are shown (default: 40)', wholeNumber],
    ['--full', 'every line of every output'],
  ],
  call: transcriptCommand,
} satisfies CommandWords
