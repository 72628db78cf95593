import { isObject, type Json } from '../core/event/json.ts'

/**
 * The text in a result that a harness packed for itself: blocks of text, a file with its content, a program's output, a
 * list of names. Undefined where it is none of these: then the value is what its reader saw.
 */
function textIn(value: Json): string | undefined {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return textOfBlocks(value)
  if (!isObject(value)) return undefined
  const { file, content, stdout, stderr, filenames, result, output, text, structuredPatch } = value
  if (isObject(file) && typeof file['content'] === 'string') return file['content']
  // What an edit changed stands in its arguments.
  if (Array.isArray(structuredPatch)) return ''
  if (typeof stdout === 'string')
    return [stdout, typeof stderr === 'string' ? stderr : ''].filter((part) => part.trim() !== '').join('\n')
  if (typeof content === 'string' && content !== '') return content
  if (Array.isArray(content)) return textOfBlocks(content)
  if (Array.isArray(filenames)) return filenames.filter((name) => typeof name === 'string').join('\n')
  return [result, output, text].find((one) => typeof one === 'string')
}

/** Blocks that are all text, as the Messages API and MCP have them. */
export function textOfBlocks(blocks: readonly unknown[]): string | undefined {
  const texts = blocks.flatMap((block) =>
    isObject(block) && typeof block['type'] === 'string' && typeof block['text'] === 'string'
      ? [block['text']]
      : [],
  )
  return blocks.length > 0 && texts.length === blocks.length ? texts.join('\n') : undefined
}

/** A result as its reader saw it, with all of it beside where that is more. */
export function unpacked(value: Json): { readonly output: Json; readonly packed?: string } {
  const text = textIn(value)
  if (text === undefined || text === value) return { output: value }
  return { output: text, packed: JSON.stringify(value) }
}
