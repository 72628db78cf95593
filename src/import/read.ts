import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isObject, type Json, type JsonObject, tryParse } from '../core/event/json.ts'
import { TwotrackError } from '../errors.ts'
import { IMPORT_BYTES_MAX } from '../limits.ts'
import type { LineFormat, Session, SessionLine } from './format.ts'
import { FORMATS_IN_WORDS, lineFormatOf, sessionOfLines, sessionsIn } from './formats.ts'
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
  if (text.trim() === '') throw notOne(name, 'it is empty')
  const lines = text.split('\n').map((content, at): SessionLine => ({ number: at + 1, content }))
  const format = lineFormatOf(firstObjects(lines), name)
  if (format) return sessionsOfLines(format, lines, name)
  const whole = parsed(text)
  const filled = lines.filter(({ content }) => content.trim() !== '')
  const found =
    whole === undefined
      ? sessionOfLines(filled, parsed, name)
      : (sessionsIn(whole, name) ?? sessionOfLines([{ number: 1, content: text }], parsed, name))
  if (!found) throw notOne(name, `it begins ${JSON.stringify(text.trim().slice(0, 60))}`)
  return found
}

/** All sessions in a file, which is read as its steps are asked for; a folder of events is read as one file. */
export async function readSessions(path: string): Promise<readonly Session[]> {
  const name = basename(path)
  if (statSync(path).isDirectory()) return sessionsOfText(eventsIn(path), name)
  if (isDatabase(path)) return openCodeSessions(path)
  const lines = linesOf(path)
  const format = lineFormatOf(await firstOf(lines), name)
  if (!format) return sessionsOfText(wholeText(path), name)
  const helpers = new Set<string>()
  if (format.helperOf) for await (const { content } of lines()) addHelper(helpers, format, content)
  return partsOf(format, helpers, (helper) => ({
    async *[Symbol.asyncIterator]() {
      const read = stepsFrom(format, helper, name)
      for await (const line of lines()) yield* read.line(line)
      yield* read.end()
    },
  }))
}

function sessionsOfLines(
  format: LineFormat,
  lines: readonly SessionLine[],
  name: string,
): readonly Session[] {
  const helpers = new Set<string>()
  if (format.helperOf) for (const { content } of lines) addHelper(helpers, format, content)
  return partsOf(format, helpers, (helper) => ({
    *[Symbol.iterator]() {
      const read = stepsFrom(format, helper, name)
      for (const line of lines) yield* read.line(line)
      yield* read.end()
    },
  }))
}

function addHelper(helpers: Set<string>, { helperOf }: LineFormat, content: string): void {
  const value = content.includes('"isSidechain":false') ? undefined : parsed(content)
  const helper = isObject(value) ? helperOf?.(value) : undefined
  if (helper !== undefined) helpers.add(helper)
}

const partsOf = (
  { about }: LineFormat,
  helpers: ReadonlySet<string>,
  steps: (helper: string | undefined) => Trajectory['steps'],
): Session[] => [
  { ...about, steps: steps(undefined) },
  ...[...helpers].map((helper) => ({ ...about, helper, steps: steps(helper) })),
]

/** Reads the lines of one part; a line that is no object is told and passed over. */
function stepsFrom(format: LineFormat, helper: string | undefined, name: string) {
  const reader = format.reader(helper)
  return {
    line({ number, content }: SessionLine): readonly Step[] {
      if (content.trim() === '') return []
      const value = parsed(content)
      if (isObject(value)) return format.helperOf?.(value) === helper ? reader.step(value) : []
      if (helper !== undefined) return []
      const text = `${name}, line ${number}: not a JSON object, passed over: ${content.slice(0, 80)}`
      return [{ kind: 'remark', where: 'import', text }]
    },
    end: () => reader.end?.() ?? [],
  }
}

const parsed = (text: string): Json | undefined => tryParse(text.trim()) as Json | undefined // what parses is JSON

function firstObjects(lines: readonly SessionLine[]): JsonObject[] {
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

async function firstOf(lines: () => AsyncIterable<SessionLine>): Promise<JsonObject[]> {
  const some: SessionLine[] = []
  let chars = 0
  for await (const line of lines()) {
    some.push(line)
    chars += line.content.length
    if (some.length >= FIRST_OBJECTS || chars > FIRST_CHARS_MAX) break
  }
  return firstObjects(some)
}

/** The lines of a file, ended by line feeds alone: other ends of lines may stand in a JSON text. */
const linesOf = (path: string) =>
  async function* (): AsyncGenerator<SessionLine> {
    let number = 0
    let rest = ''
    for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: CHUNK_BYTES })) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const content of lines) yield { number: ++number, content }
    }
    if (rest !== '') yield { number: ++number, content: rest }
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
