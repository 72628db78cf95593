import { posix } from 'node:path'
import { TwotrackError } from '../../errors.ts'
import { readInside } from '../../files/files.ts'
import { parentOf } from '../../files/ignore.ts'
import type { Trusts } from '../../trust/trust.ts'

const RUNNERS = ['pytest', 'unittest', 'vitest', 'jest', 'mocha', 'ava', 'node:test'] as const
type RunnerName = (typeof RUNNERS)[number]

/** How to run test files: a command without a shell. */
export interface Runner {
  readonly name: RunnerName
  /** The folder it runs in, relative to the workspace: the package that the tests belong to. */
  readonly folder: string
  /** Takes files relative to the workspace. */
  readonly argv: (files: readonly string[]) => string[]
  readonly env?: Readonly<Record<string, string>>
  /** Folders that Python imports the code under test from. */
  readonly roots?: readonly string[]
}

export interface RunnerPlace {
  readonly workspace: string
  readonly project?: string
  readonly signal: AbortSignal
  readonly trusts?: Trusts
}

export const noRunner = (why: string): TwotrackError =>
  new TwotrackError('missing', `No supported runner: ${why}. Supported are ${RUNNERS.join(', ')}.`)

/** The folders that a file is in, from its own up to the top (`''`). */
export function* foldersOf(path: string): Generator<string> {
  for (let folder = parentOf(path); folder !== undefined; folder = parentOf(folder)) yield folder
}

/** The text of a file of the workspace; undefined where there is none. */
export const fileTextIn = async (
  workspace: string,
  folder: string,
  name: string,
): Promise<string | undefined> =>
  (await readInside(workspace, posix.join(folder, name)).catch(() => undefined))?.toString()

/** A file as seen from the folder of its runner. A name that begins with a dash would be an option. */
export const seenFrom = (folder: string, file: string): string => {
  const path = posix.relative(folder, file)
  return path.startsWith('../') ? path : `./${path}`
}
