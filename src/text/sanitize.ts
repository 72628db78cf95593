import { tokenFamilies } from './control-tokens.ts'

/**
 * The border that text from tools crosses on its way to a model: no chat-template control token, control
 * character, bidi mark or invisible character goes through. Visible text stays readable: a control token keeps
 * its letters and loses the bracket that made it one.
 */

const TOKENS = tokenFamilies.flatMap(({ tokens }) => tokens)
const tokenNames = (shape: RegExp): ReadonlySet<string> =>
  new Set(TOKENS.flatMap((token) => shape.exec(token)?.[1] ?? []))

/** Names that are control tokens between angle brackets, and between square ones. */
const ANGLE_NAMES = tokenNames(/^<\/?([\w:-]+)>$/)
const SQUARE_NAMES = tokenNames(/^\[\/?(\w+)\]$/)
/** Families number or extend these. */
const ANGLE_PREFIXES = [
  'start_',
  'end_',
  'unused',
  'begin_',
  'fim_',
  'reserved_',
  'extra_id_',
  'SPECIAL_',
  'mask:',
]
const SQUARE_PREFIXES = ['unused', 'UNUSED_TOKEN_', 'control_']
/** Tokens of no common shape, as they are. */
const LITERALS = TOKENS.filter(
  (token) => !/^<\/?[|｜]|^<[\w:-]+\|>$|^<\/?[\w:=-]+>$|^\[\/?\w+\]$|^\[\|/.test(token),
)
const LITERALS_SECOND = new Set(LITERALS.map((token) => token[1]))
const CALLS = ['<function=', '<parameter=']
const TOKEN_CHARS_MAX = 48

/** The same text without control tokens; everything else stays, because it may be code. */
export const withoutControlTokens = (text: string): string => defuse(text)

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
  // Most text is plain.
  if (!(lineBreak === '\n' ? /[^\t\n -~]/ : /[^ -~]/).test(text)) return text
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

const SAFE: Readonly<Record<string, string>> = { '<': '‹', '[': '⁅', ']': '⁆' }

function defuse(text: string): string {
  let safe = ''
  let from = 0
  for (const { index: at, 0: sign } of text.matchAll(/[<[\]]/g)) {
    if (!opensToken(text, at)) continue
    safe += text.slice(from, at) + SAFE[sign]
    from = at + 1
  }
  return from === 0 ? text : safe + text.slice(from)
}

function opensToken(text: string, at: number): boolean {
  const shaped =
    text[at] === '<' ? opensAngleToken(text, at) : text[at] === '[' ? opensSquareToken(text, at) : false
  return (
    shaped ||
    (LITERALS_SECOND.has(text[at + 1] ?? '') && LITERALS.some((token) => text.startsWith(token, at)))
  )
}

const isBar = (char: string | undefined): boolean => char === '|' || char === '｜'

function opensAngleToken(text: string, at: number): boolean {
  const next = text[at + 1]
  if (isBar(next) || (next === '/' && isBar(text[at + 2]))) return true
  if (CALLS.some((call) => text.startsWith(call, at))) return true
  const name = nameUpTo(text, at + 1, '>')
  if (name === undefined) return false
  if (name.endsWith('|')) return name.length > 1
  return ANGLE_NAMES.has(name) || ANGLE_PREFIXES.some((prefix) => name.startsWith(prefix))
}

function opensSquareToken(text: string, at: number): boolean {
  // `[|` begins a token only where a bar and a bracket end it: `[|x| x + 1]` is code.
  if (text[at + 1] === '|') return nameUpTo(text, at + 2, ']')?.endsWith('|') === true
  const name = nameUpTo(text, at + 1, ']')
  return (
    name !== undefined &&
    (SQUARE_NAMES.has(name) || SQUARE_PREFIXES.some((prefix) => name.startsWith(prefix)))
  )
}

/** The bare name between `at` and the closing bracket, a leading slash left out; a bar may stand at its end. */
function nameUpTo(text: string, at: number, close: string): string | undefined {
  const from = text[at] === '/' ? at + 1 : at
  for (let end = from; end < text.length && end - from < TOKEN_CHARS_MAX; end++) {
    if (text[end] === close) return text.slice(from, end)
    if (!isNamePart(text.charCodeAt(end)) && !(text[end] === '|' && text[end + 1] === close)) return undefined
  }
  return undefined
}

/** Letters, digits, `_`, `-`, `:`. */
const isNamePart = (code: number): boolean =>
  (code >= 48 && code <= 58) ||
  (code >= 65 && code <= 90) ||
  (code >= 97 && code <= 122) ||
  code === 95 ||
  code === 45
