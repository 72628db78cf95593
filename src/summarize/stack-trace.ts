import { outputOf } from './reports/output.ts'
import { readPlace } from './reports/place.ts'

export interface StackTrace {
  readonly language: 'python' | 'javascript' | 'java' | 'csharp' | 'go' | 'rust' | 'ruby' | 'php'
  /** The line that says what went wrong. */
  readonly error: string
  /** In the order of the output, bounded. */
  readonly frames: readonly StackFrame[]
}

export interface StackFrame {
  readonly path: string
  readonly line: number
  readonly symbol?: string
}

const TRACES_MAX = 20
const FRAMES_MAX = 50
const ERROR_CHARS_MAX = 500
/** Shorter lines begin no trace. */
const LINE_CHARS_MIN = 8
/** Lines above the first frame in which the error may begin. */
const MESSAGE_LINES_MAX = 8
/** Lines between two frames of Python: the source, marks below it, repetitions, a group's header. */
const SOURCE_LINES_MAX = 40

interface Found {
  /** Undefined when what looked like a trace is none: it is passed over as one, not again from each of its lines. */
  readonly trace?: StackTrace
  /** The first line after it. */
  readonly next: number
}

/** Stack traces of the common languages, in the order of the output. */
export function readStackTraces(text: string): readonly StackTrace[] {
  const { lines } = outputOf(text)
  const traces: StackTrace[] = []
  let at = 0
  while (at < lines.length && traces.length < TRACES_MAX) {
    const found = traceAt(lines, at)
    if (found?.trace !== undefined) traces.push(found.trace)
    at = found?.next ?? at + 1
  }
  return traces
}

function traceAt(lines: readonly string[], at: number): Found | undefined {
  const line = lines[at] ?? ''
  if (line.length < LINE_CHARS_MIN) return undefined
  if (line.includes('Traceback (most recent call last)')) return pythonTrace(lines, at)
  if (line.includes(' panicked at ')) return rustTrace(lines, at)
  if (line.startsWith('panic: ') || line.startsWith('fatal error: ')) return goTrace(lines, at)
  if (line.includes('Uncaught ') && line.includes('.php')) return phpTrace(lines, at)
  if (line.includes(':in ') && line[0] !== '\t') return rubyTrace(lines, at)
  return AT_FRAME.test(line) ? atTrace(lines, at) : undefined
}

function traceOf(
  language: StackTrace['language'],
  error: string,
  frames: readonly StackFrame[],
  next: number,
): Found {
  const trace = {
    language,
    error: error.trim().slice(0, ERROR_CHARS_MAX),
    frames: frames.slice(0, FRAMES_MAX),
  }
  return { trace, next }
}

function frameOf(path: string, line: string | number, symbol?: string): StackFrame {
  const frame = { path, line: Number(line) }
  return symbol === undefined || symbol === '' ? frame : { ...frame, symbol }
}

/** `  File "x.py", line 3, in f`, source lines between, and the first line back at the margin is the error. */
function pythonTrace(lines: readonly string[], at: number): Found | undefined {
  const margin = (lines[at] ?? '').indexOf('Traceback')
  const frames: StackFrame[] = []
  let between = 0
  let i = at + 1
  for (; i < lines.length; i++) {
    const text = (lines[i] ?? '').slice(margin)
    const frame = /^ {2}File "([^"]{1,400})", line (\d{1,9})(?:, in (.{1,200}))?$/.exec(text)
    if (frame?.[1] !== undefined) {
      frames.push(frameOf(frame[1], frame[2] ?? 0, frame[3]))
      between = 0
    } else if ((text !== '' && text[0] !== ' ') || ++between > SOURCE_LINES_MAX) break
  }
  if (frames.length === 0) return undefined
  return traceOf('python', (lines[i] ?? '').slice(margin), frames, i + 1)
}

/** `thread 'main' panicked at src/main.rs:2:5:` with the message below; before Rust 1.73 quoted on the line. */
function rustTrace(lines: readonly string[], at: number): Found | undefined {
  const line = lines[at] ?? ''
  if (!/^thread '[^']{1,300}'/.test(line)) return undefined
  const after = line.slice(line.indexOf(' panicked at ') + ' panicked at '.length)
  const quoted = after.startsWith("'") ? after.lastIndexOf("', ") : -1
  const place = readPlace(quoted === -1 ? after : `${after.slice(quoted + 3)}:`)
  const frames: StackFrame[] = place === undefined ? [] : [frameOf(place.path, place.line)]
  let i = quoted === -1 ? at + 2 : at + 1
  let symbol: string | undefined
  for (; i < lines.length; i++) {
    const text = (lines[i] ?? '').trim()
    const named = /^\d{1,4}: (.{1,300})$/.exec(text)?.[1]
    if (named !== undefined) symbol = named
    else if (text.startsWith('at ')) {
      const where = readPlace(`${text.slice(3)}:`)
      if (where !== undefined) frames.push(frameOf(where.path, where.line, symbol))
    } else if (!/^(?:stack backtrace:|note: |left: |right: |$)/.test(text)) break
    if (text === '') break
  }
  const error = quoted === -1 ? (lines[at + 1] ?? '') : after.slice(1, quoted)
  return traceOf('rust', error, frames, Math.max(i, at + 1))
}

/** `panic: message`, then the first goroutine: a function, and below it `\t/path/x.go:12 +0x1d`. */
function goTrace(lines: readonly string[], at: number): Found | undefined {
  const start = lines.slice(at, at + 30).findIndex((line) => /^goroutine \d{1,9} \[/.test(line))
  if (start === -1) return undefined
  const frames: StackFrame[] = []
  let i = at + start + 1
  for (; i < lines.length; i++) {
    const line = lines[i] ?? ''
    if (line.trim() === '') break
    if (line[0] !== '\t') continue
    const place = readPlace(line)
    if (place === undefined) continue
    const called = (lines[i - 1] ?? '').replace(/^created by /, '')
    const open = called.lastIndexOf('(')
    frames.push(frameOf(place.path, place.line, open > 0 ? called.slice(0, open) : called))
  }
  const said = lines.slice(at, at + start).find((line) => line.replace(/^panic: ?/, '').trim() !== '')
  return traceOf('go', said ?? lines[at] ?? '', frames, i)
}

/** `PHP Fatal error:  Uncaught X: message in /a.php:12`, `Stack trace:`, `#0 /a.php(20): f()`. */
function phpTrace(lines: readonly string[], at: number): Found | undefined {
  const line = lines[at] ?? ''
  const frames: StackFrame[] = []
  const inFile = line.lastIndexOf(' in ')
  const thrown = inFile === -1 ? undefined : readPlace(`${line.slice(inFile + 4)}:`)
  if (thrown !== undefined) frames.push(frameOf(thrown.path, thrown.line))
  let i = at + 1
  for (; i < lines.length; i++) {
    const text = lines[i] ?? ''
    const frame = /^#\d{1,4} ([^()]{1,400})\((\d{1,9})\): (.{1,300})$/.exec(text)
    if (frame?.[1] !== undefined) frames.push(frameOf(frame[1], frame[2] ?? 0, frame[3]))
    else if (!text.startsWith('#') && !text.startsWith('Stack trace:')) break
  }
  if (frames.length === 0) return { next: i }
  const error = line.slice(line.indexOf('Uncaught ') + 'Uncaught '.length)
  return traceOf('php', inFile === -1 ? error : error.slice(0, error.lastIndexOf(' in ')), frames, i)
}

const RUBY_SYMBOL = /^in [`'](.{1,200}?)'/

/** `a.rb:12:in 'f': message (Error)`, then `\tfrom a.rb:3:in 'g'`. */
function rubyTrace(lines: readonly string[], at: number): Found | undefined {
  const first = readPlace(lines[at] ?? '')
  const symbol = first === undefined ? undefined : RUBY_SYMBOL.exec(first.rest)
  if (first === undefined || symbol === null || symbol === undefined) return undefined
  const error = first.rest.slice(symbol[0].length).replace(/^: /, '')
  const frames = [frameOf(first.path, first.line, symbol[1])]
  let i = at + 1
  for (; i < lines.length; i++) {
    const text = (lines[i] ?? '').trim()
    if (!text.startsWith('from ')) break
    const place = readPlace(text.slice('from '.length))
    if (place !== undefined) frames.push(frameOf(place.path, place.line, RUBY_SYMBOL.exec(place.rest)?.[1]))
  }
  return error === '' ? { next: i } : traceOf('ruby', error, frames, i)
}

const AT_FRAME = /^\s{1,40}at \S/

/** JavaScript, Java and C# put `at` before each frame; what stands in it tells which it is. */
function atTrace(lines: readonly string[], at: number): Found | undefined {
  const frames: StackFrame[] = []
  let language: StackTrace['language'] | undefined
  let i = at
  for (
    ;
    i < lines.length && (AT_FRAME.test(lines[i] ?? '') || /^\s{1,40}\.\.\. \d/.test(lines[i] ?? ''));
    i++
  ) {
    if (frames.length >= FRAMES_MAX) continue
    const read = atFrame((lines[i] ?? '').trim().slice(3))
    language ??= read?.language
    if (read?.frame !== undefined) frames.push(read.frame)
  }
  const error = errorAbove(lines, at)
  if (frames.length === 0 || language === undefined || error === undefined) return { next: i }
  return traceOf(language, error, frames, i)
}

function atFrame(text: string): { language: StackTrace['language']; frame: StackFrame } | undefined {
  const java = /^([\w$.<>/@-]{1,300})\(([\w$-]{1,200}\.(?:java|kt|scala|groovy|clj)):(\d{1,9})\)/.exec(text)
  if (java?.[2] !== undefined) return { language: 'java', frame: frameOf(java[2], java[3] ?? 0, java[1]) }
  const csharp = text.lastIndexOf(' in ')
  const numbered = csharp === -1 ? null : /^(.{1,400}):line (\d{1,9})/.exec(text.slice(csharp + 4))
  if (numbered?.[1] !== undefined) {
    return { language: 'csharp', frame: frameOf(numbered[1], numbered[2] ?? 0, text.slice(0, csharp)) }
  }
  const open = text.endsWith(')') ? text.lastIndexOf('(') : -1
  const where = (open === -1 ? text.replace(/^async /, '') : text.slice(open + 1, -1)).replace(
    /^file:\/\//,
    '',
  )
  const internal = where.startsWith('node:')
  const place = readPlace(`${internal ? where.replace(':', '/') : where}:`)
  if (place?.column === undefined) return undefined
  return {
    language: 'javascript',
    frame: frameOf(
      internal ? place.path.replace('/', ':') : place.path,
      place.line,
      open === -1 ? '' : text.slice(0, open).trim(),
    ),
  }
}

const ERROR_HEAD = /(?:Error|Exception|Failure|Throwable)(?::| \[|$)/

/** The nearest line above the frames that names an error; else the line just above them. */
function errorAbove(lines: readonly string[], at: number): string | undefined {
  let nearest: string | undefined
  for (let i = at - 1; i >= Math.max(0, at - MESSAGE_LINES_MAX); i--) {
    const text = (lines[i] ?? '').trim()
    if (AT_FRAME.test(lines[i] ?? '')) break
    if (text === '') continue
    // A numbered line above `at` belongs to a native backtrace.
    if (/^\d{1,4}: /.test(text)) return undefined
    nearest ??= text
    if (ERROR_HEAD.test(text)) return text
  }
  return nearest
}
