import { matchesGlob } from 'node:path'
import { isObject, tryParse } from '../../core/event/json.ts'
import type { ToolRow } from './rows.ts'

interface ScriptUse {
  readonly subcommand?: string | undefined
  /** The flags that change what is found. */
  readonly flags: readonly string[]
  /** The paths it is given; empty when there are none, which means everything. */
  readonly paths: readonly string[]
}

/** Programs that only start another one. */
const STARTERS = new Set(['npx', 'pnpm', 'yarn', 'bunx', 'bun', 'exec', 'run', 'dlx', 'nr', 'cross-env', 'x'])

/** The use of a linter in the scripts of a `package.json`; of several the one that checks most. */
export function scriptUse(packageJson: string, row: ToolRow): ScriptUse | undefined {
  if (!packageJson.includes(row.name)) return undefined
  const scripts = Object(tryParse(packageJson))['scripts']
  const texts = isObject(scripts) ? Object.values(scripts).map(String) : []
  const found = texts.flatMap((text) => text.split(/&&|\|\||[;|]/)).flatMap((part) => useIn(part, row) ?? [])
  return found.find(({ subcommand }) => subcommand === 'check') ?? found[0]
}

/** The words of a command line; one in quotes may have spaces. */
export const wordsOf = (text: string): string[] =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')

function useIn(text: string, { name, subcommands, flags = [], valued = [] }: ToolRow): ScriptUse | undefined {
  const words = wordsOf(text)
  const start = words.findIndex((word) => !STARTERS.has(word) && !/^\w+=/.test(word))
  if (words[start] !== name) return undefined
  const kept: string[] = []
  const paths: string[] = []
  const rest = words.slice(start + 1)
  const subcommand = subcommands && rest.shift()
  if (subcommands && !subcommands.includes(subcommand ?? '')) return undefined
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [flag = ''] = word.split('=')
    if (valued.includes(word)) kept.push(word, rest.shift() ?? '')
    else if (flags.includes(word) || valued.includes(flag)) kept.push(word)
    else if (!word.startsWith('-')) paths.push(word)
    // An unknown flag may have a value, which is then no path: what is no path of this project does no harm.
  }
  return { subcommand: subcommand === 'ci' ? 'check' : subcommand, flags: kept, paths }
}

/** Whether a path, relative to where the command runs, is among the paths it is given. */
export function isGiven(path: string, paths: readonly string[]): boolean {
  if (path.startsWith('../')) return false
  const given = paths.map((one) => one.replace(/^\.\//, '').replace(/\/+$/, ''))
  return (
    given.length === 0 ||
    given.some((one) => one === '.' || path === one || path.startsWith(`${one}/`) || matchesGlob(path, one))
  )
}
