import { configKeys } from '../config/keys.ts'
import type { LoadedConfig } from '../config/load.ts'
import { commandsText } from './files.ts'
import type { TrustRequest } from './trust.ts'

type Rule = 'any' | 'lower' | readonly unknown[]

/**
 * Keys that a project may set unasked, because they run nothing and send nothing anywhere. `lower`: as long as it is
 * not above the default; a list: these values. Every other key, also one that is added later, needs trust.
 */
const HARMLESS: Readonly<Record<string, Rule>> = {
  'runner.memory.packet_size_limit': 'lower',
  'runner.memory.prompt_budget': 'lower',
  'runner.memory.recent_actions': 'lower',
  'runner.memory.rendering': 'any',
  'runner.memory.summarizer_mode': 'any',
  'runner.memory.trace_indexing': 'any',
  'runner.memory.trace_store': ['jsonl', 'kv'],
  'model.deadline_ms': 'lower',
  'model.max_tokens': 'lower',
  'model.temperature': 'any',
  'model.top_p': 'any',
  'model.seed': 'any',
  'run.concurrency': 'lower',
  'run.context': 'any',
  'report.currency': 'any',
  'report.prices': 'any',
}

/** What the project's own file sets that needs trust; undefined if nothing does. */
export async function settingsRequest(loaded: Loaded): Promise<TrustRequest | undefined> {
  const needing = harmful(loaded)
  const lines = needing.map(({ path, value }) => `${path}: ${JSON.stringify(value)}\n`)
  if (loaded.file === undefined || lines.length === 0) return undefined
  const files = await commandsText(
    loaded.root,
    needing.map(({ value }) => value),
  )
  return { kind: 'settings', name: baseName(loaded.file), text: lines.join('') + files }
}

type Loaded = Pick<LoadedConfig, 'config' | 'sources' | 'file' | 'root'>

/** Whether some of these say where records are, or what becomes of them: no command that uses them goes on without trust. */
export const decideRecords = (loaded: Loaded): boolean =>
  harmful(loaded).some(({ path }) => path.startsWith('runner.memory.'))

const harmful = ({ config, sources }: Loaded) =>
  configKeys()
    .filter(({ path }) => sources[path] === 'file')
    .map((key) => ({ ...key, value: valueAt(config, key.path) }))
    .filter(({ path, value, default: usual }) => !isHarmless(HARMLESS[path], value, usual))

function isHarmless(rule: Rule | undefined, value: unknown, usual: unknown): boolean {
  if (JSON.stringify(value) === JSON.stringify(usual)) return true
  if (typeof rule === 'object') return rule.includes(value)
  return rule === 'any' || (rule === 'lower' && typeof value === 'number' && value <= Number(usual))
}

const valueAt = (config: object, path: string): unknown =>
  path.split('.').reduce<unknown>((at, name) => Object(at)[name], config)

const baseName = (file: string): string => file.slice(file.lastIndexOf('/') + 1)
