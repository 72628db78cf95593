import type { ToolDeclaration } from '../../event/event.ts'
import type { Prompt } from '../../prompt/prompt.ts'
import { renderDeclarations } from './declaration.ts'
import { BOS, END_TURN, TURN, withoutTokens } from './tokens.ts'

/** The sentence that the model was trained to answer with calls. */
const TRIGGER = 'You are a model that can do function calling with the following functions'

/**
 * Three turns: the tools, the prompt's text, and the model's, left open. Servers put `<bos>` before a prompt
 * themselves, so it is left out unless asked for.
 */
export function renderPrompt(
  prompt: Pick<Prompt, 'text'>,
  tools: readonly ToolDeclaration[],
  { bos = false } = {},
): string {
  return [
    `${bos ? BOS : ''}${TURN}developer\n${TRIGGER}${renderDeclarations(tools)}${END_TURN}`,
    `${TURN}user\n${withoutTokens(prompt.text)}${END_TURN}`,
    `${TURN}model\n`,
  ].join('\n')
}
