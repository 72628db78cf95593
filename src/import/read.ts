import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { isObject, type Json, type JsonObject, tryParse } from '../core/event/json.ts'
import { TwotrackError } from '../errors.ts'
import { IMPORT_BYTES_MAX } from '../limits.ts'
import type { LineFormat, Session, SessionLine } from './format.ts'
import { FORMATS_IN_WORDS, lineFormatOf, sessionsInValue } from './formats.ts'
import { isDatabase, openCodeSessions } from './opencode-database.ts'
import type { Step, Trajectory } from './trajectory.ts'

/** So many objects at the beginning of a file say what its lines are, or as many as stand in so many characters. */
const FIRST_OBJECTS = 30
const FIRST_CHARS_MAX = 4_000_000
const CHUNK_BYTES = 1_000_000

/** Recognises what kind of recording a text is; says what it looked for when it is none. Of several sessions the first. */
export function readTrajectory(text: string, name: string): Trajectory {
  const [first] = sessionsOfText(text, name)
  if (!first) throw notOne(name, 'it has no session')
  return first
}

/** All sessions in a text: a helper's part is one of its own. */
export function sessionsOfText(text: string, name: string): readonly Session[] {
  const lines = text.split('\n').map((content, at): SessionLine => ({ number: at + 1, content }))
  return sessionsIn(
    () => lines,
    () => text,
    name,
  )
}

/** All sessions in a file, which is read as its steps are asked for; a folder of events is read as one file. */
export function readSessions(path: string): readonly Session[] {
  const name = basename(path)
  if (statSync(path).isDirectory()) return sessionsOfText(eventsIn(path), name)
  if (isDatabase(path)) return openCodeSessions(path)
  return sessionsIn(
    () => linesOf(path),
    () => wholeText(path),
    name,
  )
}

function sessionsIn(
  lines: () => Iterable<SessionLine>,
  whole: () => string,
  name: string,
): readonly Session[] {
  const format = lineFormatOf(firstObjects(lines()), name)
  if (format) return sessionsOfLines(format, lines, name)
  const text = whole()
  if (text.trim() === '') throw notOne(name, 'it is empty')
  const value = parsed(text)
  const found =
    (value === undefined ? undefined : sessionsInValue(value, name)) ??
    sessionsInValue(valuesOf(value === undefined ? text.split('\n') : [text]), name)
  if (!found) throw notOne(name, `it begins ${JSON.stringify(text.trim().slice(0, 60))}`)
  return found
}

/** A list written as lines; undefined where one of these is no JSON. */
function valuesOf(lines: readonly string[]): Json[] | undefined {
  const values = lines.filter((line) => line.trim() !== '').map(parsed)
  return values.every((value) => value !== undefined) ? values : undefined
}

function sessionsOfLines(format: LineFormat, lines: () => Iterable<SessionLine>, name: string): Session[] {
  const { about, helperOf } = format
  const helpers = new Set<string | undefined>([undefined])
  if (helperOf)
    for (const { content } of lines()) {
      const value = content.includes('"isSidechain":false') ? undefined : parsed(content)
      if (isObject(value)) helpers.add(helperOf(value))
    }
  return [...helpers].map((helper) => ({
    ...about,
    ...(helper === undefined ? {} : { helper }),
    steps: { [Symbol.iterator]: () => stepsOf(format, helper, lines(), name) },
  }))
}

/** The steps of one part; a line that is no object is told and passed over. */
function* stepsOf(
  { reader, helperOf }: LineFormat,
  helper: string | undefined,
  lines: Iterable<SessionLine>,
  name: string,
): Generator<Step> {
  const { step, end } = reader()
  for (const { number, content } of lines) {
    if (content.trim() === '') continue
    const value = parsed(content)
    if (isObject(value)) {
      if (helperOf?.(value) === helper) yield* step(value, number)
    } else if (helper === undefined) {
      const text = `${name}, line ${number}: not a JSON object, passed over: ${content.slice(0, 80)}`
      yield { kind: 'remark', where: 'import', text }
    }
  }
  if (end) yield* end()
}

const parsed = (text: string): Json | undefined => tryParse(text.trim()) as Json | undefined // what parses is JSON

function firstObjects(lines: Iterable<SessionLine>): JsonObject[] {
  const objects: JsonObject[] = []
  let chars = 0
  for (const { content } of lines) {
    chars += content.length
    const value = parsed(content)
    if (isObject(value)) objects.push(value)
    if (objects.length >= FIRST_OBJECTS || chars > FIRST_CHARS_MAX) break
  }
  return objects
}

/** The lines of a file, ended by line feeds alone: other ends of lines may stand in a JSON text. */
function* linesOf(path: string): Generator<SessionLine> {
  const file = openSync(path, 'r')
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    const decoder = new StringDecoder('utf8')
    let number = 0
    let content = ''
    for (let bytes = readSync(file, chunk); bytes > 0; bytes = readSync(file, chunk)) {
      const [first = '', ...others] = decoder.write(chunk.subarray(0, bytes)).split('\n')
      content += first
      for (const next of others) {
        yield { number: ++number, content }
        content = next
      }
    }
    if (content !== '') yield { number: ++number, content }
  } finally {
    closeSync(file)
  }
}

function wholeText(path: string): string {
  const { size } = statSync(path)
  if (size > IMPORT_BYTES_MAX)
    throw new TwotrackError(
      'limit',
      `${path} has ${size} bytes in one value; at most ${IMPORT_BYTES_MAX} can be read. Split it.`,
    )
  return readFileSync(path, 'utf8')
}

/** The events that OpenHands keeps of a conversation, a file each. */
function eventsIn(folder: string): string {
  const inside = readdirSync(folder).includes('events') ? join(folder, 'events') : folder
  const files = readdirSync(inside).filter((file) => /^event-\d+.*\.json$|^\d+\.json$/.test(file))
  if (files.length === 0) throw notOne(folder, 'it is a folder without events')
  const number = (file: string) => Number(/\d+/.exec(file)?.[0])
  return files
    .sort((one, other) => number(one) - number(other))
    .map((file) => readFileSync(join(inside, file), 'utf8').replace(/\s*\n\s*/g, ' '))
    .join('\n')
}

const notOne = (name: string, why: string) =>
  new TwotrackError(
    'bad_import',
    `${name} is not a recording that can be imported: ${why}. Expected ${FORMATS_IN_WORDS}.`,
  )
