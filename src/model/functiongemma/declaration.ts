import type { ToolDeclaration } from '../../event/event.ts'
import { sanitizeLine, sanitizeText } from '../../prompt/sanitize.ts'
import { DECLARATION, END_DECLARATION } from '../gemma-notation/tokens.ts'
import { declared } from './schema.ts'
import { renderObject } from './value.ts'

/** The declarations of the tools, one after the other. Descriptions are sanitized: tools may come from others. */
export const renderDeclarations = (tools: readonly ToolDeclaration[]): string =>
  tools.map(renderDeclaration).join('')

function renderDeclaration({ name, description, parameters }: ToolDeclaration): string {
  const body = renderObject({
    description: sanitizeText(description),
    parameters: { type: 'OBJECT', ...declared(parameters) },
  })
  return `${DECLARATION}declaration:${sanitizeLine(name)}${body}${END_DECLARATION}`
}
