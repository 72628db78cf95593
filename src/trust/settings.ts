import { configKeys } from '../config/keys.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { TrustRequest } from './trust.ts'

/**
 * Keys that a project may set unasked, because they run nothing and send nothing anywhere. `lower`: as long as it is
 * not above the default. Every other key, also one that is added later, needs trust.
 */
const HARMLESS: Readonly<Record<string, 'any' | 'lower'>> = {
  'runner.memory.packet_size_limit': 'lower',
  'runner.memory.prompt_budget': 'lower',
  'runner.memory.recent_actions': 'lower',
  'runner.memory.rendering': 'any',
  'runner.memory.summarizer_mode': 'any',
  'runner.memory.trace_indexing': 'any',
  'model.deadline_ms': 'lower',
  'model.max_tokens': 'lower',
  'model.temperature': 'any',
  'model.top_p': 'any',
  'model.seed': 'any',
  'run.concurrency': 'lower',
  'run.context': 'any',
}

/** What the project's own file sets that needs trust; undefined if nothing does. */
export function settingsRequest({ config, sources, file }: LoadedConfig): TrustRequest | undefined {
  const lines = configKeys()
    .filter(({ path }) => sources[path] === 'file')
    .map((key) => ({ ...key, value: valueAt(config, key.path) }))
    .filter(({ path, value, default: usual }) => !isHarmless(HARMLESS[path], value, usual))
    .map(({ path, value }) => `${path}: ${JSON.stringify(value)}\n`)
  if (file === undefined || lines.length === 0) return undefined
  return { kind: 'settings', name: baseName(file), text: lines.join('') }
}

function isHarmless(rule: 'any' | 'lower' | undefined, value: unknown, usual: unknown): boolean {
  if (JSON.stringify(value) === JSON.stringify(usual)) return true
  return rule === 'any' || (rule === 'lower' && typeof value === 'number' && value <= Number(usual))
}

const valueAt = (config: object, path: string): unknown =>
  path.split('.').reduce<unknown>((at, name) => Object(at)[name], config)

const baseName = (file: string): string => file.slice(file.lastIndexOf('/') + 1)
