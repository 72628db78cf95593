/** What a project itself says of its code: its type checker and its tests. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const SECONDS_MAX = 600

/** What a check said: complaints without their places, and how many tests passed. */
interface Said {
  readonly bad: readonly string[]
  readonly passed?: number
}

export interface Check {
  readonly name: string
  readonly argv: readonly string[]
  read(output: string): Said
}

/** Names of what a pattern finds in each line. */
const linesWith = (output: string, pattern: RegExp): string[] =>
  output.split('\n').flatMap((line) => pattern.exec(line)?.[1] ?? [])

const countIn = (output: string, pattern: RegExp): number => Number(pattern.exec(output)?.[1] ?? 0)

/** Lines of a type checker, without the numbers of lines and columns. */
const errorsIn = (output: string): Said => ({
  bad: linesWith(output, /^(.*error.*)$/).map((line) => line.replace(/[:(]\d+(?:[:,]\d+)?\)?:/, ':')),
})

const tap = (output: string): Said => ({
  bad: linesWith(output, /^\s*not ok \d+ - (.*?)(?: # .*)?$/),
  passed: countIn(output, /^# pass (\d+)/m),
})

function vitestJson(output: string): Said {
  const report = JSON.parse(output.slice(output.indexOf('{"numTotal'), output.lastIndexOf('}') + 1))
  const tests: { fullName: string; status: string }[] = report.testResults.flatMap(
    (file: { assertionResults: [] }) => file.assertionResults,
  )
  const files: { name: string; status: string; message: string }[] = report.testResults
  return {
    bad: [
      ...tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
      ...files.filter(({ status, message }) => status === 'failed' && message).map(({ name }) => name),
    ],
    passed: tests.filter(({ status }) => status === 'passed').length,
  }
}

/** Only what is installed in the project. */
export function checksOf(project: string): { types?: Check; tests?: Check } {
  const has = (path: string) => existsSync(join(project, path))
  const text = (path: string) => (has(path) ? readFileSync(join(project, path), 'utf8') : '')
  const python = join(project, '.venv/bin/python')
  if (has('pyproject.toml') || has('setup.cfg')) {
    const mypy = has('.venv/bin/mypy') && text('pyproject.toml').includes('[tool.mypy')
    const quiet = ['-q', '-p', 'no:cacheprovider', '--no-header', '--tb=no', '-rfE']
    const pytest: Check = {
      name: 'pytest',
      argv: [python, '-m', 'pytest', ...quiet, '--continue-on-collection-errors'],
      read: (output) => ({
        bad: linesWith(output, /^((?:FAILED|ERROR) \S+)/),
        passed: countIn(output, /(\d+) passed/),
      }),
    }
    return {
      ...(mypy
        ? {
            types: {
              name: 'mypy',
              argv: [python, '-m', 'mypy', '--no-error-summary', '--no-color-output'],
              read: errorsIn,
            },
          }
        : {}),
      ...(has('.venv/bin/pytest') ? { tests: pytest } : {}),
    }
  }
  const tests = scriptTests(String(Object(JSON.parse(text('package.json') || '{}').scripts).test ?? ''))
  return {
    ...(has('tsconfig.json') && has('node_modules/.bin/tsc')
      ? { types: { name: 'tsc', argv: ['sh', '-c', 'tsc --noEmit --pretty false -p .'], read: errorsIn } }
      : {}),
    ...(tests ? { tests } : {}),
  }
}

/** The part of a test script that runs tests, with a report that can be read. */
function scriptTests(script: string): Check | undefined {
  const parts = script.split('&&').map((part) => part.trim().replace(/^(?:pnpm|npx|yarn) /, ''))
  const of = (name: string) => parts.find((part) => part.split(' ').includes(name))
  if (of('vitest'))
    return {
      name: 'vitest',
      argv: ['sh', '-c', 'vitest run --reporter=json --coverage.enabled=false'],
      read: vitestJson,
    }
  const [ava, node] = [of('ava'), of('--test')]
  if (ava) return { name: 'ava', argv: ['sh', '-c', `${ava} --tap`], read: tap }
  if (node)
    return {
      name: 'node:test',
      argv: ['sh', '-c', node.replace('--test', '--test --test-reporter=tap')],
      read: tap,
    }
  return undefined
}

/** Undefined where it took too long, or said nothing that can be read. */
export async function outcomeOf(check: Check, project: string): Promise<Said | undefined> {
  const { code, stdout } = await run(check.argv, project)
  if (code === null) return undefined
  try {
    return check.read(stdout)
  } catch {
    return undefined
  }
}

/** Whether a check says the same as before the proposals were taken. */
export function verdict(check: Check | undefined, before: Said | undefined, after: Said | undefined): string {
  if (!check) return '–'
  if (!before || !after) return `${check.name}: no result in ${SECONDS_MAX} s`
  if (before.passed === 0) return `${check.name}: none passes here, also without a change`
  const fresh = after.bad.filter((one) => !before.bad.includes(one))
  const lost = (before.passed ?? 0) - (after.passed ?? 0)
  if (fresh.length > 0 || lost > 0)
    return `${check.name}: NEW ${fresh.slice(0, 3).join('; ').slice(0, 200)} (${lost} fewer pass)`
  const known = before.bad.length > 0 ? `${before.bad.length} known` : 'none'
  return before.passed === undefined
    ? `${check.name}: nothing new (${known})`
    : `${check.name}: ${before.passed} pass as before (${known} fail)`
}

export interface Ran {
  /** Null when it took too long. */
  readonly code: number | null
  readonly stdout: string
  /** With what it wrote to standard error. */
  readonly output: string
  readonly seconds: number
  /** The most memory that the process itself had, in MB. */
  readonly memory_mb: number
}

export function run(argv: readonly string[], cwd: string, watch: () => void = () => {}): Promise<Ran> {
  const [program = '', ...args] = argv
  const start = performance.now()
  const path = `${join(cwd, 'node_modules/.bin')}:${process.env['PATH']}`
  const env = { ...process.env, PATH: path, CI: '1', NO_COLOR: '1' }
  const child = spawn(program, args, { cwd, env, detached: true })
  let [output, stdout] = ['', '']
  let memory_kb = 0
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
    stdout += chunk
  })
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
    child.on('error', () => resolve({ code: null, stdout, output, seconds: 0, memory_mb: 0 }))
    child.on('close', (code) => {
      clearInterval(looking)
      clearTimeout(late)
      const seconds = (performance.now() - start) / 1_000
      resolve({ code: isLate ? null : code, stdout, output, seconds, memory_mb: memory_kb / 1_024 })
    })
  })
}
