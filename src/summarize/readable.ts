import { withoutEscapes } from '../text/escapes.ts'
import { withoutBinary } from './binary.ts'

/** A tool's output without what its harness put around it. */
export interface Unwrapped {
  readonly text: string
  readonly exit?: number
  readonly failed?: boolean
}

/**
 * Output as a person would read it: no terminal escapes, redrawn lines in their last state, no wrapping of a harness
 * (reminders, chunk ids, times, token counts, tags around the output), base64 as a line that says what it is. All other
 * lines stay as they are, indentation and blank lines too. Linear.
 */
export const readable = (text: string): string => unwrap(text).text

export function unwrap(raw: string): Unwrapped {
  const plain = withoutBinary(redrawn(withoutEscapes(raw)))
  const labelled = withoutLabels(withoutReminders(plain))
  const { text, exit = labelled.exit, failed } = withoutTags(labelled.text)
  return { ...withoutMargins(text, exit), ...(failed ? { failed } : {}) }
}

/** A progress bar redraws its line: what stands after the last return is what a person saw. */
function redrawn(text: string): string {
  if (!text.includes('\r')) return text
  const lines = text.replaceAll('\r\n', '\n')
  if (!lines.includes('\r')) return lines
  return lines
    .split('\n')
    .map((raw) => {
      const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
      return line.slice(line.lastIndexOf('\r') + 1)
    })
    .join('\n')
}

const REMINDER = /<((?:system[-_])?reminder|environment_details|system[-_](?:note|notice|warning))>/

/** What a harness says to its model in the middle of an output. */
function withoutReminders(text: string): string {
  let rest = text
  let before = ''
  for (let open = REMINDER.exec(rest); open; open = REMINDER.exec(rest)) {
    const close = rest.indexOf(`</${open[1]}>`, open.index)
    if (close === -1) break
    before += rest.slice(0, open.index).trimEnd()
    rest = rest.slice(close + (open[1]?.length ?? 0) + 3)
  }
  return rest.trim() === '' && before !== '' ? before.trimEnd() : before + rest
}

const LABELS = /^(?:Command: [\s\S]*?\nDirectory: .*\n)?(?:Output|Stdout): (?:\(empty\)(?=\n))?/
const LAST_LABEL = '\nProcess Group PGID: '
const LABELS_BEHIND =
  /(?:\n(?:Stderr|Error|Exit Code|Signal|Background PIDs): (?:\(none\)|\(empty\)|[\d, ]{1,80})){0,5}$/

/** Gemini CLI names each part of what a command gave. */
function withoutLabels(text: string): Unwrapped {
  const end = text.lastIndexOf(LAST_LABEL)
  const [before] = (end >= 0 && !text.includes('\n', end + 1) && LABELS.exec(text)) || []
  if (before === undefined) return { text }
  const rest = text.slice(before.length, end)
  const at = rest.search(LABELS_BEHIND)
  const code = /Exit Code: (\d+)/.exec(rest.slice(at))?.[1]
  return { text: rest.slice(0, at), ...(code === undefined ? {} : { exit: Number(code) }) }
}

const TAG = /^\s*<([a-z][a-z_-]{2,30})>/
const CONTENT = new Set(
  'output stdout stderr result results response error tool_use_error tool_result observation output_head output_tail command_output'.split(
    ' ',
  ),
)
const EXIT = new Set(['returncode', 'return_code', 'exit_code', 'exitcode'])
const REMARK = new Set(['warning', 'usage', 'wall_time', 'duration', 'metadata', 'note'])
const LEFT_OUT = new Set(['elided_chars', 'truncated', 'elided'])

/** Tags around the whole: `<returncode>1</returncode><output>…</output>`. */
function withoutTags(text: string): Unwrapped {
  const parts: string[] = []
  let exit: number | undefined
  const failed = /^\s*<(?:tool_use_error|error)>/.test(text)
  let rest = text
  for (let open = TAG.exec(rest); open; open = TAG.exec(rest)) {
    const name = open[1] ?? ''
    const known = CONTENT.has(name) || LEFT_OUT.has(name)
    const isShort = EXIT.has(name) || REMARK.has(name)
    const close = `</${name}>`
    // One that may hold its own tag ends with the last close; looked for only then, since there may be a million of the others.
    const end = isShort ? rest.indexOf(close) : known ? rest.lastIndexOf(close) : -1
    if (end === -1) return { text }
    const inner = rest.slice(open[0].length, end)
    if (EXIT.has(name)) exit = Number(inner.trim())
    else if (LEFT_OUT.has(name)) parts.push(`⋮ ${inner.trim()}`)
    else if (CONTENT.has(name)) parts.push(trimmed(inner))
    rest = rest.slice(end + name.length + 3)
  }
  if (parts.length === 0 && exit === undefined) return { text }
  if (rest.trim() !== '') parts.push(trimmed(rest))
  return {
    text: parts.filter((part) => part !== '').join('\n'),
    failed,
    ...(exit === undefined || Number.isNaN(exit) ? {} : { exit }),
  }
}

/** Without lines of nothing at its start; by hand, as there may be millions. */
function withoutBlankStart(text: string): string {
  let start = 0
  for (let at = 0; at < text.length && ' \t\n'.includes(text.charAt(at)); at++)
    if (text[at] === '\n') start = at + 1
  return text.slice(start)
}

const trimmed = (text: string): string => withoutBlankStart(text).trimEnd()

const EXIT_LINE =
  /^\[?(?:(?:The |This )?(?:command|process|script|program|shell|bash)\b.{0,40}? )?(?:exit(?:ed|s)?|completed|finished|failed|ended)?(?: |with |and )*(?:exit )?(?:code|status):? (-?\d{1,10})(?:\.?\]?|(?<=^.{0,40}failed.{0,40}): .{1,300})$/i
/** Lines that a harness puts before an output, or behind it. */
const NOISE =
  /^(?:Chunk ID: \w+|Wall time: [\d.]+ ?\w*|(?:Original )?token count: \d+|Total output lines: \d+|Output:|Execution logs:|Process running with session ID \d+|\[(?:Jupyter |Python |Current )?(?:current working directory|working directory|python interpreter|interpreter): .{0,300}\]|\((?:\w+ )?(?:completed with )?no output\)|[\w.-]+@[\w.-]+:\S* ?[$#]|Duration: [\d.]+ ?\w+|<\/?NOTE>)$/i
const LINES_MAX = 8

function withoutMargins(whole: string, stated: number | undefined): Unwrapped {
  let text = whole.endsWith('\n') ? whole.slice(0, -1) : whole
  let exit = stated
  for (let left = LINES_MAX; left > 0; left--) {
    const end = text.indexOf('\n')
    const line = end === -1 ? text : text.slice(0, end)
    if (line.length > 400 || !isNoise(line)) break
    exit ??= exitIn(line)
    text = end === -1 ? '' : withoutBlankStart(text.slice(end + 1))
  }
  text = text
    .replace(/\n?Last output from code snippet:(?:\nNone$)?/, '')
    .replace(/\n?<usage>[^<]{0,500}<\/usage>\s*$/, '')
  for (let left = LINES_MAX; left > 0; left--) {
    const end = text.trimEnd()
    const start = end.lastIndexOf('\n') + 1
    const line = end.slice(start)
    if (line.length > 400 || !isNoise(line)) break
    exit ??= exitIn(line)
    text = end.slice(0, Math.max(0, start - 1)).trimEnd()
  }
  if (text.trim() === '') text = ''
  return { text, ...(exit === undefined ? {} : { exit }) }
}

const isNoise = (line: string): boolean => line !== '' && (EXIT_LINE.test(line) || NOISE.test(line.trim()))

function exitIn(line: string): number | undefined {
  const code = EXIT_LINE.exec(line)?.[1]
  return code === undefined ? undefined : Number(code)
}
