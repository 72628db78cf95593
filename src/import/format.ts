import { defined, type JsonObject } from '../core/event/json.ts'
import type { Given, Step, Trajectory } from './trajectory.ts'

/** A line of a file, with its place there. */
export interface SessionLine {
  readonly number: number
  readonly content: string
}

/** A trajectory, and whose it is. */
export interface Session extends Trajectory {
  /** The program that made it. */
  readonly harness: string
  /** Its name for the session, if it has one. */
  readonly session?: string
  /** For a helper's part of one: the helper's name. */
  readonly helper?: string
  /** The folder that it worked in. */
  readonly project?: string
  /** Read anew as often as they are asked for. */
  readonly steps: Iterable<Step>
}

export type About = Omit<Session, 'steps'>

/** What a source says of a session; what it does not say is left out. */
export const aboutOf = (
  harness: string,
  { goal = null, instructions = '', ...about }: Given<Omit<About, 'harness' | 'origin'>>,
  origin: Given<JsonObject> = {},
): About => ({
  ...{ goal, instructions, harness },
  origin: { harness, ...defined(origin) } as JsonObject, // what is undefined is left out
  ...defined(about),
})

/** Reads the lines of one session, one after the other. */
export interface LineReader {
  step(value: JsonObject, number: number): readonly Step[]
  /** What is left when the last line was read. */
  end?(): readonly Step[]
}

/** How JSON lines are read. */
export interface LineFormat {
  /** What the first lines say of the session. */
  readonly about: About
  /** The helper whose line this is; undefined for the session's own. Absent where a file has one session. */
  helperOf?(value: JsonObject): string | undefined
  reader(): LineReader
}

/** A form that recordings have. Each says of what it is given whether it is one of its own. */
export interface Format {
  readonly name: string
  /** `first`: the first lines of the file that are objects. */
  lines?(first: readonly JsonObject[], file: string): LineFormat | undefined
  /** One JSON value. */
  value?(value: unknown, file: string): readonly Session[] | undefined
}
