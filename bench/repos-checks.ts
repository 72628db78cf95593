/** What a project itself says of its code: its type checker and its tests. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const SECONDS_MAX = 240

export interface Check {
  readonly name: string
  readonly argv: readonly string[]
}

/** Only what is installed in the project. */
export function checksOf(project: string): { types?: Check; tests?: Check } {
  const has = (path: string) => existsSync(join(project, path))
  const text = (path: string) => (has(path) ? readFileSync(join(project, path), 'utf8') : '')
  const bin = (name: string) => join(project, 'node_modules/.bin', name)
  const python = join(project, '.venv/bin/python')
  if (has('pyproject.toml')) {
    const mypy = has('.venv/bin/mypy') && text('pyproject.toml').includes('[tool.mypy')
    return {
      ...(mypy ? { types: { name: 'mypy', argv: [python, '-m', 'mypy', '--no-error-summary'] } } : {}),
      ...(has('.venv/bin/pytest')
        ? { tests: { name: 'pytest', argv: [python, '-m', 'pytest', '-q', '-p', 'no:cacheprovider'] } }
        : {}),
    }
  }
  const scripts = text('package.json')
  const runner = [
    { name: 'vitest', argv: [bin('vitest'), 'run'] },
    { name: 'ava', argv: [bin('ava')] },
    {
      name: 'node',
      argv: ['node', '--test', ...(scripts.includes('tsx') ? ['--import=tsx/esm', 'test/*.ts'] : [])],
    },
  ].find(({ name }) =>
    new RegExp(`\\b${name} (?:run|--test|--import)|\\b${name}"|\\b${name} &&`).test(scripts),
  )
  return {
    ...(has('tsconfig.json') && has('node_modules/.bin/tsc')
      ? { types: { name: 'tsc', argv: [bin('tsc'), '--noEmit', '-p', '.'] } }
      : {}),
    ...(runner ? { tests: runner } : {}),
  }
}

/** Complaints of a check: its lines that name an error or a failure, without places, times and colours. */
export async function outcomeOf(check: Check, project: string): Promise<string[] | undefined> {
  const { code, output } = await run(check.argv, project)
  if (code === null) return undefined
  const lines = output.split('\n').map(plain)
  const bad = lines.filter((line) => /error|FAILED|✗|✘|×|not ok|FAIL /i.test(line))
  return [`exit ${code}`, ...new Set(bad)].sort()
}

const plain = (line: string): string =>
  line
    .replace(/\u001b\[[\d;]*m/g, '')
    .replace(/[\d.,:()]+(?:ms|s)?/g, '#')
    .trim()

export interface Ran {
  /** Null when it took too long. */
  readonly code: number | null
  readonly output: string
  readonly seconds: number
  /** The most memory that the process itself had, in MB. */
  readonly memory_mb: number
}

export function run(argv: readonly string[], cwd: string, watch: () => void = () => {}): Promise<Ran> {
  const [program = '', ...args] = argv
  const start = performance.now()
  const child = spawn(program, args, { cwd, env: { ...process.env, CI: '1', NO_COLOR: '1' }, detached: true })
  let output = ''
  let memory_kb = 0
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  const looking = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      memory_kb = Math.max(memory_kb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0))
    } catch {} // it has ended
    watch()
  }, 500)
  let isLate = false
  const late = setTimeout(() => {
    isLate = true
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, SECONDS_MAX * 1_000)
  return new Promise((resolve) => {
    child.on('error', () => resolve({ code: null, output, seconds: 0, memory_mb: 0 }))
    child.on('close', (code) => {
      clearInterval(looking)
      clearTimeout(late)
      const seconds = (performance.now() - start) / 1_000
      resolve({ code: isLate ? null : code, output, seconds, memory_mb: memory_kb / 1_024 })
    })
  })
}
