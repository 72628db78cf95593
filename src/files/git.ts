import { execFile } from 'node:child_process'
import { harmlessEnvironment } from './harmless-environment.ts'

/** One question to git, and its answer. */
const GIT_MS_MAX = 20_000
export const GIT_BYTES_MAX = 64 * 1024 * 1024

export interface GitAnswer {
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: string
}

/**
 * Nothing that a repository's own configuration names is started: git is asked about folders that nobody vouched for.
 * A person's own conflict style would make other conflicts of the same contents.
 */
const SETTINGS = [
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'merge.conflictStyle=merge'],
  // The log of a repository may ask for signatures, and these a program of its own.
  ...['log.showSignature=false', 'gpg.program=false', 'gpg.openpgp.program=false'],
  ...['gpg.x509.program=false', 'gpg.ssh.program=false'],
]
const ENVIRONMENT = { GIT_NO_LAZY_FETCH: '1', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }

/** The filters that a folder's own configuration names, to be left out (`without`) where git would start them. */
export async function ownFilters(cwd: string): Promise<string[]> {
  const found = await git(cwd, ['config', '--show-scope', '--name-only', '-z', '--get-regexp', '^filter[.]'])
  const fields = found?.stdout.toString().split('\0') ?? []
  return fields.filter((_, at) => at % 2 === 1 && !['global', 'system'].includes(fields[at - 1] ?? ''))
}

export interface GitOptions {
  /** Settings that do not count (`ownFilters`). */
  readonly without?: readonly string[]
  readonly input?: string
}

/** Asks git; undefined where there is none, or where it gave no answer within the limits. */
export function git(
  cwd: string,
  args: readonly string[],
  { without = [], input }: GitOptions = {},
): Promise<GitAnswer | undefined> {
  const options = {
    cwd,
    encoding: 'buffer',
    timeout: GIT_MS_MAX,
    maxBuffer: GIT_BYTES_MAX,
    env: { ...harmlessEnvironment(process.env), ...ENVIRONMENT, ...emptied(without) },
  } as const
  return new Promise((resolve) => {
    const child = execFile(
      'git',
      [...SETTINGS.flatMap((one) => ['-c', one]), ...args],
      options,
      (error, stdout, stderr) => {
        const code = error ? error.code : 0
        resolve(typeof code === 'number' ? { code, stdout, stderr: stderr.toString() } : undefined)
      },
    )
    // One that ended before it read all says so by its code.
    child.stdin?.on('error', () => {}).end(input)
  })
}

/** Given in this way a key may hold any character. */
const emptied = (keys: readonly string[]): Record<string, string> =>
  Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(keys.length)],
    ...keys.flatMap((key, at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, ''],
    ]),
  ])
