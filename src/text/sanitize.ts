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
export const sanitizeLine = (text: string): string =>
  defuse(withoutHidden(text, ' ', ' ').replace(/[\n\t]/g, ' '))

/** Keeps line breaks; the caller must indent every line. */
export const sanitizeText = (text: string): string => defuse(withoutHidden(text, '\n', ''))

/** Characters that would be unseen or would reorder or move what a reader sees; line breaks and tabs are left to others. */
export const HIDDEN =
  /[\u034f\u180b-\u180f\ufe00-\ufe0f\u{e0000}-\u{e0fff}\u17b4\u17b5\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}]/gu

const withoutHidden = (text: string, separator: string, carriageReturn: string): string =>
  text.replace(HIDDEN, (one) =>
    one === '\u2028' || one === '\u2029' ? separator : one === '\r' ? carriageReturn : '',
  )

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

const isNamePart = (code: number): boolean =>
  (code >= 48 && code <= 58) ||
  (code >= 65 && code <= 90) ||
  (code >= 97 && code <= 122) ||
  code === 95 ||
  code === 45
