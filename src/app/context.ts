import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { type Config, storeKind } from '../config/config.ts'
import { type LoadedConfig, loadConfig } from '../config/load.ts'
import { defined } from '../core/event/json.ts'
import type { Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import { isOwn } from '../files/own-folder.ts'
import { refuseLinks } from '../files/refuse-links.ts'
import { spooledIn } from '../hook/spool.ts'
import type { MemoryOptions } from '../memory.ts'
import { jsonlStore } from '../store/jsonl/jsonl.ts'
import { kvStore } from '../store/kv/kv.ts'
import { memoryStore } from '../store/memory.ts'
import type { Trusts } from '../trust/trust.ts'
import { keepingHeads } from './heads.ts'
import { agentMeant, type WhichOptions } from './names.ts'
import { hideOptions } from './person-secrets.ts'
import { requireAdmitted } from './trust.ts'
import { vaultIn } from './vault.ts'

/** Which project a command is about, and where its logs are. */
export interface ProjectOptions {
  readonly store?: string
  readonly folder?: string
  readonly config?: string
  readonly set?: string[]
}

/** The configuration for a command: the file, the environment, `--set`, and the short forms of two keys. */
export function configFor(options: ProjectOptions, cwd = process.cwd()): LoadedConfig {
  const set = [...(options.set ?? [])]
  if (options.store !== undefined) set.push(`runner.memory.trace_store=${options.store}`)
  if (options.folder !== undefined) set.push(`runner.memory.folder=${resolve(options.folder)}`)
  return loadConfig({
    cwd,
    ...(options.config === undefined ? {} : { file: options.config }),
    env: process.env,
    set,
  })
}

/** A project whose records may be used, and the folder that holds them. */
export interface Project extends LoadedConfig {
  readonly folder: string
}

/** The same configuration for a command that uses records. Throws `untrusted` where a person has to see them first. */
export const projectFor = (options: ProjectOptions): Promise<Project> => admitted(configFor(options))

/** `trusts`: of a command that has asked for what it needs already. */
export async function admitted(loaded: LoadedConfig, trusts?: Trusts): Promise<Project> {
  const { config, root, sources } = loaded
  const folder = resolve(root, config.runner.memory.folder)
  const isNamed = ['--set', 'environment'].includes(sources['runner.memory.folder'] ?? '')
  // Who names a folder means what is in it.
  await requireAdmitted(loaded, isNamed ? undefined : folder, trusts)
  if (isNamed) refuseLinks(folder)
  return { ...loaded, folder }
}

/** The one place that chooses a store. */
export async function storeFor(project: Pick<Project, 'config' | 'folder' | 'root'>): Promise<Store> {
  const { config, folder } = project
  const { memory } = config.runner
  const { durability, trace_indexing: indexing } = memory
  switch (storeKind(memory)) {
    case 'memory':
      return memoryStore()
    case 'jsonl':
      return keepingHeads(jsonlStore({ folder, durability }), folder)
    case 'kv':
      return keepingHeads(kvStore({ file: join(folder, 'agent.db'), durability, indexing }), folder)
    case 'postgres': {
      const { postgresStore } = await import('../store/postgres/postgres.ts')
      return keepingHeads(postgresStore(sharedPlace(project)), folder)
    }
  }
}

/** Where the store is that all machines share, and how this project is called there. Throws `bad_config`. */
export function sharedPlace({ config, root }: Pick<Project, 'config' | 'root'>) {
  const { url, project, lease_ms } = config.runner.memory
  if (storeKind(config.runner.memory) !== 'postgres' || url === '')
    throw new TwotrackError(
      'bad_config',
      'This needs a store that all machines share: --store postgres, and its URL in TWOTRACK_RUNNER_MEMORY_URL ' +
        '(postgres://user@host:5432/database) or in twotrack.yaml as runner.memory.url.',
    )
  return { url, project: project === '' ? basename(root) : project, leaseMs: lease_ms }
}

/** Where the agents of a project worked, and every store that its folder holds. */
export interface AllStores extends Pick<MemoryOptions, 'secrets'> {
  readonly project: string
  readonly folder: string
  readonly stores: readonly Store[]
}

export function storesIn(folder: string): Store[] {
  const file = join(folder, 'agent.db')
  const stores = [jsonlStore({ folder }), ...(existsSync(file) ? [kvStore({ file })] : [])]
  return stores.map((store) => keepingHeads(store, folder))
}

/** Calls with every store of a project's folder, whichever the configuration names, and closes them. */
export async function withStores<T>(
  options: ProjectOptions,
  use: (all: AllStores) => Promise<T>,
): Promise<T> {
  const found = await projectFor(options)
  const { config, root: project, folder } = found
  const stores = storesIn(folder)
  if (storeKind(config.runner.memory) === 'postgres') stores.push(await storeFor(found))
  try {
    return await use({ project, folder, stores, secrets: memorySettings(config, folder).secrets })
  } finally {
    for (const store of stores) await store.close()
  }
}
/** What a run's memory takes from the configuration, and from the person's environment: keys that no log may hold. */
export function memorySettings({ runner }: Config, folder?: string) {
  const { packet_size_limit, prompt_budget, rendering, tokenizer, recent_actions, summarizer_mode } =
    runner.memory
  const days = runner.memory.vault_days
  const onHidden = folder === undefined || days === null ? undefined : vaultIn(folder, days)
  return {
    ...{ packetSizeLimit: packet_size_limit, promptBudget: prompt_budget, rendering, tokenizer },
    ...{ recentActions: recent_actions, summarizerMode: summarizer_mode },
    secrets:
      runner.memory.secrets === 'off'
        ? ('off' as const)
        : { ...hideOptions(process.env), ...defined({ onHidden }) },
  }
}

/** The same for a command that is about one agent, named or the one that began last. */
export const withAgent = <T>(
  agent: string | undefined,
  options: ProjectOptions & WhichOptions,
  use: (store: Store, agentId: string) => Promise<T>,
): Promise<T> => withStore(options, async (store) => use(store, await agentMeant(store, agent, options)))

/** What comes one after the other from a store, which is closed after the last. */
export async function* streamFrom<T>(
  options: ProjectOptions,
  use: (store: Store, project: Project) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const project = await projectFor(options)
  const store = await storeFor(project)
  try {
    await recordSpooled(store, project, options)
    yield* use(store, project)
  } finally {
    await store.close()
  }
}

/** Runs a command with its store and closes the store whatever happens. */
export async function withStore<T>(
  options: ProjectOptions,
  use: (store: Store, project: Project) => Promise<T>,
): Promise<T> {
  const project = await projectFor(options)
  const store = await storeFor(project)
  try {
    await recordSpooled(store, project, options)
    return await use(store, project)
  } finally {
    await store.close()
  }
}

/**
 * What hooks were told of sessions since the last look goes into their logs first, unless another place is looked at. A
 * project could bring a spool of its own: the folder that it is in has to be admitted, or this person's.
 */
async function recordSpooled(
  store: Store,
  { root, config, folder }: Project,
  { store: kind, folder: other }: ProjectOptions,
): Promise<void> {
  if (kind !== undefined || other !== undefined || store.kind === 'memory') return
  if (spooledIn(root).length === 0) return
  const records = join(root, '.agentfs')
  if (folder !== records && !isOwn(records)) return
  const { foldSpool } = await import('./spool.ts')
  for (const problem of await foldSpool(root, store, memorySettings(config, folder)))
    process.emitWarning(problem)
}
