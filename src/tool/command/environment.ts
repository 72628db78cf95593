import { delimiter, dirname, isAbsolute } from 'node:path'
import { MARK } from './kill.ts'

export interface EnvironmentOptions {
  /** Absolute folders with programs that come before those of PATH: the project's `node_modules/.bin`. */
  readonly path?: readonly string[]
  /** Variables to add, or to leave out where they are undefined; what holds a secret does not belong here. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** What a command may know: where programs are, a home of its own, and nothing of ours. */
export function environmentFor(
  root: string,
  home: string,
  mark: string,
  { path = [], env = {} }: EnvironmentOptions,
): Record<string, string | undefined> {
  const inherited = (process.env['PATH'] ?? '').split(delimiter)
  return {
    // A relative entry would name programs that the agent can write.
    PATH: [...path, ...inherited].filter(isAbsolute).join(delimiter),
    HOME: home,
    TMPDIR: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NO_COLOR: '1',
    CI: '1',
    // The workspace is often inside the project: git must not find the project's repository from there.
    GIT_CEILING_DIRECTORIES: dirname(root),
    ...env,
    [MARK]: mark,
  }
}
