import { execFile } from 'node:child_process'
import { GIT_BYTES_MAX, GIT_MS_MAX } from '../limits.ts'
import { harmlessEnvironment } from './harmless-environment.ts'

export interface GitAnswer {
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: string
}

/**
 * Nothing that a repository's own configuration names is started: git is asked about folders that nobody vouched for.
 * A person's own conflict style would make other conflicts of the same contents.
 */
const SETTINGS = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'merge.conflictStyle=merge']
const ENVIRONMENT = { GIT_NO_LAZY_FETCH: '1', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }

/** Asks git; undefined where there is none, or where it gave no answer within the limits. */
export function git(cwd: string, args: readonly string[]): Promise<GitAnswer | undefined> {
  const options = {
    cwd,
    encoding: 'buffer',
    timeout: GIT_MS_MAX,
    maxBuffer: GIT_BYTES_MAX,
    env: { ...harmlessEnvironment(process.env), ...ENVIRONMENT },
  } as const
  return new Promise((resolve) => {
    execFile(
      'git',
      [...SETTINGS.flatMap((one) => ['-c', one]), ...args],
      options,
      (error, stdout, stderr) => {
        const code = error ? error.code : 0
        resolve(typeof code === 'number' ? { code, stdout, stderr: stderr.toString() } : undefined)
      },
    )
  })
}
