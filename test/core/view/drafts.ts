import type { FileChange } from '../../../src/core/event/delta.ts'
import type { Draft } from '../../../src/core/event/event.ts'
import { given } from '../../../src/testing/given.ts'

let calls = 0
export const call = (tool: string, args: Record<string, string>): Draft => ({
  type: 'tool_call',
  data: { call_id: `c${++calls}`, tool, args, effect: 'pure' },
})
export const result = (summary: string, output: string, files: FileChange[] = []): Draft => ({
  type: 'tool_result',
  data: {
    call_id: `c${calls}`,
    tool: 'bash',
    outcome: 'success',
    summarizer: 'test',
    output_sha256: '0'.repeat(64),
    output_bytes: output.length,
  },
  delta: {
    add_action: [{ tool: 'bash', summary, outcome: 'success', ...(output === '' ? {} : { output }) }],
    ...(files.length > 0 ? { change_files: files } : {}),
  },
})
export const thought = (text: string): Draft => ({ type: 'model_response', data: { model: 'm', text } })
export const person = (text: string): Draft => ({ type: 'person_message', data: { text } })

export function promptOf(
  drafts: readonly Draft[],
  run: NonNullable<Parameters<typeof given>[1]> = {},
): string {
  return given(drafts.slice(0, -1), run).when(drafts.at(-1) ?? person('')).prompt
}
