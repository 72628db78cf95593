import { SCRIPT_RUNNERS, type ScriptRunner } from './script-runners.ts'

/** How a script of package.json starts a test runner. */
export interface ScriptCommand {
  readonly runner: ScriptRunner
  /** Variables that it sets. */
  readonly env: Readonly<Record<string, string>>
  /** Options without which the tests do not run as the project means them. */
  readonly options: readonly string[]
}

/** Other options take their value as the next word. */
const WITHOUT_VALUE = /^(?:--check-leaks|--exit|--serial|-s|--experimental-.*)$/

/** The test runners that the scripts start, those of `test` first. */
export function testCommands(scripts: Readonly<Record<string, unknown>>): ScriptCommand[] {
  const named = Object.entries(scripts).filter(([name]) =>
    /(?:^|[:-])(?:test|tests|unit)(?:$|[:-])/.test(name),
  )
  const first = named.toSorted(([one], [other]) => Number(other === 'test') - Number(one === 'test'))
  return first.flatMap(([, script]) =>
    String(script)
      .split(/&&|\|\||[;|]/)
      .flatMap((command) => commandIn(wordsOf(command)) ?? []),
  )
}

const wordsOf = (command: string): string[] =>
  (command.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []).map((word) => word.replace(/["']/g, ''))

function commandIn(words: readonly string[]): ScriptCommand | undefined {
  const at = words.findIndex((word) => /^(?:vitest|jest|mocha|ava|node|tsx)$/.test(word.replace(/^.*\//, '')))
  const program = words[at]?.replace(/^.*\//, '')
  const args = words.slice(at + 1)
  if (program === undefined) return undefined
  const isNode = program === 'node' || program === 'tsx'
  if (isNode && !args.includes('--test')) return commandIn(args)
  const runner = SCRIPT_RUNNERS.find(({ name }) => name === (isNode ? 'node:test' : program))
  if (!runner) return undefined
  return {
    runner,
    env: Object.fromEntries(words.slice(0, at).flatMap(assignment)),
    options: [...(program === 'tsx' ? ['--import=tsx'] : []), ...keptOf(args, runner.kept)],
  }
}

const assignment = (word: string): [string, string][] => {
  const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? []
  // Where programs are is for the run to say.
  return name === undefined || value === undefined || name === 'PATH' ? [] : [[name, value]]
}

function keptOf(args: readonly string[], kept: RegExp): string[] {
  return args.flatMap((arg, at) => {
    const [option = '', value] = arg.split(/=(.*)/s)
    if (!option.startsWith('-') || !kept.test(option)) return []
    if (value !== undefined || WITHOUT_VALUE.test(option)) return [arg]
    return [arg, args[at + 1] ?? '']
  })
}
