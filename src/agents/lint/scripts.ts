import { matchesGlob } from 'node:path'
import { isObject, tryParse } from '../../core/event/json.ts'
import type { ToolKind } from './kinds.ts'

/** How a project's own command calls a linter. */
export interface ScriptUse {
  /** A subcommand and the flags that change what is found. */
  readonly command: readonly string[]
  /** The paths it is given; empty when there are none, which means everything. */
  readonly paths: readonly string[]
}

/** Programs that only start another one. */
const STARTERS = new Set(['npx', 'pnpm', 'yarn', 'bunx', 'bun', 'exec', 'run', 'dlx', 'nr', 'cross-env', 'x'])
const SUBCOMMANDS: Readonly<Record<string, readonly string[]>> = { biome: ['check', 'ci', 'lint'] }

/** The use of a linter in the scripts of a `package.json`; of several the one that checks most. */
export function scriptUse(packageJson: string, kind: ToolKind): ScriptUse | undefined {
  const scripts = Object(tryParse(packageJson))['scripts']
  const texts = isObject(scripts) ? Object.values(scripts).map(String) : []
  const uses = texts.flatMap((text) => text.split(/&&|\|\||[;|]/)).map((part) => useIn(part, kind))
  const found = uses.filter((use) => use !== undefined)
  return found.find(({ command }) => command[0] === 'check') ?? found[0]
}

function useIn(text: string, kind: ToolKind): ScriptUse | undefined {
  const words = [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')
  const start = words.findIndex((word) => !STARTERS.has(word) && !/^\w+=/.test(word))
  if (words[start] !== kind.name) return undefined
  const command: string[] = []
  const paths: string[] = []
  const rest = words.slice(start + 1)
  const subcommands = SUBCOMMANDS[kind.name]
  if (subcommands) {
    const own = rest.shift() ?? ''
    if (!subcommands.includes(own)) return undefined
    command.push(own === 'ci' ? 'check' : own)
  }
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const isValued = kind.valued?.includes(word) ?? false
    if (isValued) command.push(word, rest.shift() ?? '')
    else if (kind.flags?.includes(word) || kind.valued?.some((flag) => word?.startsWith(`${flag}=`)))
      command.push(word)
    else if (!word.startsWith('-')) paths.push(word)
    // An unknown flag may have a value, which is then no path: what is no path of this project does no harm.
  }
  return { command, paths }
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
