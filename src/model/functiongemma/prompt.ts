import type { Prompt } from '../../prompt/prompt.ts'
import { BOS, END_TURN, TURN } from '../gemma-notation/tokens.ts'
import type { ModelRequest } from '../model.ts'
import { renderDeclarations } from './declaration.ts'
import { renderTranscript } from './transcript.ts'

/** The sentence that the model was trained to answer with calls. */
const TRIGGER = 'You are a model that can do function calling with the following functions'

/**
 * Three turns: the tools; the packet, the transcript, or the transcript and then the packet; and the model's, left
 * open. Servers put `<bos>` before a prompt themselves, so it is left out unless asked for.
 */
export function renderRequest(
  request: Pick<ModelRequest, 'tools' | 'messages' | 'context'> & { prompt: Pick<Prompt, 'text'> },
  { bos = false }: { bos?: boolean } = {},
): string {
  const { prompt, tools, messages = [], context = request.messages ? 'messages' : 'packet' } = request
  const packet = { role: 'user' as const, content: prompt.text }
  const shown = context === 'packet' ? [packet] : context === 'both' ? [...messages, packet] : messages
  const developer = `${TURN}developer\n${TRIGGER}${renderDeclarations(tools)}${END_TURN}\n`
  return (bos ? BOS : '') + developer + renderTranscript(shown)
}
