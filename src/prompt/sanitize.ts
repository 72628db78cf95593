/**
 * The border that text from tools crosses on its way to a model: no chat-template control token, control
 * character, bidi mark or invisible character goes through. Visible text stays readable: a control token keeps
 * its letters and loses the bracket that made it one.
 */

/** Names that are control tokens between angle brackets, in the templates of the common model families. */
const ANGLE_NAMES = new Set(
  `bos eos pad unk mask s sep cls escape think tool_call tool_calls tool_response tool_result tools
   function_call function_response image audio start_of_image end_of_image image_soft_token`.split(/\s+/),
)
const ANGLE_PREFIXES = ['start_', 'end_', 'unused', 'begin_', 'fim_', 'reserved_', 'extra_id_']
const SQUARE_NAMES = new Set(
  `INST AVAILABLE_TOOLS TOOL_CALLS TOOL_RESULTS TOOL_CONTENT SYSTEM_PROMPT ARGS CALL_ID IMG PREFIX MIDDLE SUFFIX
   BOS EOS gMASK MASK CLS SEP PAD UNK`.split(/\s+/),
)
const TOKEN_CHARS_MAX = 48

/** One line: line breaks and tabs become spaces. */
export const sanitizeLine = (text: string): string => defuse(strip(text, ' '))

/** Keeps line breaks; the caller must indent every line. */
export const sanitizeText = (text: string): string => defuse(strip(text, '\n'))

/** True for characters that would be unseen or would reorder or move what a reader sees. */
export function isHidden(code: number): boolean {
  return (
    code < 0x20 ||
    (code >= 0x7f && code < 0xa0) ||
    code === 0xad || // soft hyphen
    code === 0x34f ||
    code === 0x61c ||
    (code >= 0x115f && code <= 0x1160) ||
    (code >= 0x17b4 && code <= 0x17b5) ||
    (code >= 0x180b && code <= 0x180f) ||
    (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x2028 && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x206f) ||
    code === 0x3164 ||
    (code >= 0xfe00 && code <= 0xfe0f) ||
    code === 0xfeff ||
    code === 0xffa0 ||
    (code >= 0xfff0 && code <= 0xfffb) ||
    (code >= 0xd800 && code <= 0xdfff) || // a surrogate on its own
    (code >= 0x1bca0 && code <= 0x1bca3) ||
    (code >= 0x1d173 && code <= 0x1d17a) ||
    (code >= 0xe0000 && code <= 0xe0fff) // tags and further variation selectors
  )
}

function strip(text: string, lineBreak: ' ' | '\n'): string {
  let clean = ''
  let from = 0
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0
    const width = code > 0xffff ? 2 : 1
    if (isHidden(code)) {
      clean += text.slice(from, at)
      if (code === 0x0a || code === 0x2028 || code === 0x2029) clean += lineBreak
      else if (code === 0x09) clean += lineBreak === '\n' ? '\t' : ' '
      else if (code === 0x0d) clean += lineBreak === '\n' ? '' : ' '
      from = at + width
    }
    at += width
  }
  return from === 0 ? text : clean + text.slice(from)
}

function defuse(text: string): string {
  let safe = ''
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char !== '<' && char !== '[') continue
    if (!(char === '<' ? opensAngleToken(text, at + 1) : opensSquareToken(text, at + 1))) continue
    safe += text.slice(from, at) + (char === '<' ? '‹' : '⁅')
    from = at + 1
  }
  return from === 0 ? text : safe + text.slice(from)
}

function opensAngleToken(text: string, at: number): boolean {
  const next = text[at]
  if (next === '|' || next === '｜') return true
  if (next === '<') return text.startsWith('<SYS>>', at) || text.startsWith('</SYS>>', at)
  const name = nameUpTo(text, at, '>')
  return (
    name !== undefined && (ANGLE_NAMES.has(name) || ANGLE_PREFIXES.some((prefix) => name.startsWith(prefix)))
  )
}

function opensSquareToken(text: string, at: number): boolean {
  const name = nameUpTo(text, at, ']')
  return name !== undefined && SQUARE_NAMES.has(name)
}

/** The bare name between `at` and the closing bracket, a leading slash left out. */
function nameUpTo(text: string, at: number, close: string): string | undefined {
  const from = text[at] === '/' ? at + 1 : at
  for (let end = from; end < text.length && end - from < TOKEN_CHARS_MAX; end++) {
    if (text[end] === close) return text.slice(from, end)
    const code = text.charCodeAt(end)
    const word =
      code === 95 || (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
    if (!word) return undefined
  }
  return undefined
}
