import { outputOf } from './reports/output.ts'

export interface StackTrace {
  readonly language: 'python' | 'javascript' | 'java' | 'go' | 'rust'
  /** The line that says what went wrong. */
  readonly error: string
  /** In the order of the output, bounded. */
  readonly frames: readonly StackFrame[]
}

interface StackFrame {
  readonly path: string
  readonly line: number
  readonly symbol?: string
}

interface Language {
  readonly language: StackTrace['language']
  /** Groups path, line and symbol. */
  readonly frame: RegExp
  /** Lines that may stand between two frames. */
  readonly between: RegExp
  readonly error: (lines: readonly string[], start: number, end: number) => string | undefined
  /** The symbol of a frame, where the line before it has it. */
  readonly symbol?: RegExp
}

const TRACES_MAX = 20
const FRAMES_MAX = 50
const ERROR_CHARS_MAX = 500
/** Lines above the first frame in which the error may begin. */
const MESSAGE_LINES_MAX = 8
/** Lines between two frames of Python: the source, marks below it, repetitions, a group's header. */
const BETWEEN_LINES_MAX = 40
const MORE = /^\s{1,40}\.\.\. \d/

const LANGUAGES: readonly Language[] = [
  {
    language: 'python',
    frame: /^[ |+]{2,40}File "(?<path>[^"]{1,400})", line (?<line>\d{1,9})(?:, in (?<symbol>.{1,200}))?$/,
    between: /^$|^[ |+]/,
    error: (lines, start, end) => (/Traceback \(most/.test(lines[start - 1] ?? '') ? lines[end] : undefined),
  },
  {
    language: 'java',
    frame:
      /^\s{1,40}at (?<symbol>[\w$.<>/@-]{1,300})\((?<path>[\w$-]{1,200}\.(?:java|kt|scala|groovy|clj)):(?<line>\d{1,9})\)/,
    between: MORE,
    error: errorAbove,
  },
  {
    language: 'rust',
    frame:
      /^(?:thread '[^']{1,300}'.{0,40} panicked at (?:'.{0,400}', )?|\s{1,40}at )(?<path>[^\s']{1,400}\.rs):(?<line>\d{1,9}):\d{1,9}:?$/,
    between: /^(?!thread ')(?! {0,4}at )\S.{0,400}$|^\s{0,40}(?:\d{1,4}: .{1,300}|left: .*|right: .*)$/,
    error: (lines, start) => {
      const panic = lines[start] ?? ''
      if (!panic.startsWith('thread ')) return undefined
      return /panicked at '(.{0,400})', /.exec(panic)?.[1] ?? lines[start + 1]
    },
    symbol: /^\s{1,40}\d{1,4}: (.{1,300})$/,
  },
  {
    language: 'javascript',
    frame:
      /^\s{1,40}at (?:async )?(?:(?<symbol>.{1,300}?) \()?(?:file:\/\/)?(?<path>(?:node:)?[^\s():]{1,400}|[A-Za-z]:[^\s():]{1,400}):(?<line>\d{1,9}):\d{1,9}\)?$/,
    between: /^\s{1,40}(?:at \S|\.\.\. \d)/,
    error: errorAbove,
  },
  {
    language: 'go',
    frame: /^\t(?<path>\S.{0,400}\.go):(?<line>\d{1,9})(?: \+0x[0-9a-f]{1,16})?$/,
    between: /^[^\s].{0,400}\)$|^created by /,
    error: (lines, start) => {
      const above = lines.slice(Math.max(0, start - 30), start)
      if (!above.some((line) => /^goroutine \d{1,9} \[/.test(line))) return undefined
      return above.findLast((line) => /^(?:panic|fatal error): ?\S/.test(line))
    },
    symbol: /^(?:created by )?(.{1,300}?)(?:\([^()]{0,200}(?:\([^()]*\))?[^()]{0,200}\))?$/,
  },
]
/** What any first frame looks like: most lines do not. */
const BEGINS = /^\s{1,40}at |^[ |+]{2,40}File "|^\t\S|^thread '/

/** Stack traces of the common languages, in the order of the output. */
export function readStackTraces(text: string): readonly StackTrace[] {
  const { lines } = outputOf(text)
  const traces: StackTrace[] = []
  for (let at = 0; at < lines.length && traces.length < TRACES_MAX; at++) {
    const line = lines[at] ?? ''
    const known = BEGINS.test(line) ? LANGUAGES.find(({ frame }) => frame.test(line)) : undefined
    if (known === undefined) continue
    const { frames, end } = framesAt(known, lines, at)
    const error = known.error(lines, at, end)?.trim().slice(0, ERROR_CHARS_MAX)
    if (error) traces.push({ language: known.language, error, frames })
    at = end - 1
  }
  return traces
}

/** The frames from a line on, and the first line after them. */
function framesAt(
  { frame, between, symbol }: Language,
  lines: readonly string[],
  start: number,
): { frames: StackFrame[]; end: number } {
  const frames: StackFrame[] = []
  let [end, gap] = [start, 0]
  for (let at = start; at < lines.length && gap <= BETWEEN_LINES_MAX; at++) {
    const line = lines[at] ?? ''
    const groups = frame.exec(line)?.groups
    if (groups === undefined && !between.test(line)) break
    gap = groups === undefined ? gap + 1 : 0
    end = at + 1
    if (groups === undefined || frames.length >= FRAMES_MAX) continue
    const name = groups['symbol'] ?? symbol?.exec(lines[at - 1] ?? '')?.[1]
    frames.push({
      path: groups['path'] ?? '',
      line: Number(groups['line']),
      ...(name ? { symbol: name } : {}),
    })
  }
  return { frames, end }
}

const ERROR_HEAD = /(?:Error|Exception|Failure|Throwable)(?::| \[|$)/

/** The nearest line above the frames that names an error; else the line just above them. */
function errorAbove(lines: readonly string[], start: number): string | undefined {
  let nearest: string | undefined
  for (let at = start - 1; at >= Math.max(0, start - MESSAGE_LINES_MAX); at--) {
    const text = (lines[at] ?? '').trim()
    if (/^\s{1,40}at \S/.test(lines[at] ?? '')) break
    if (text === '') continue
    // A numbered line above `at` belongs to a native backtrace.
    if (/^\d{1,4}: /.test(text)) return undefined
    nearest ??= text
    if (ERROR_HEAD.test(text)) return text
  }
  return nearest
}
