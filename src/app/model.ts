import type { LoadedConfig } from '../config/load.ts'
import { defined, isObject, type JsonObject, toJson } from '../core/event/json.ts'
import { messageOf, TwotrackError } from '../errors.ts'
import { modelFaultOf } from '../model/faults.ts'
import { firstCandidate } from '../model/first-candidate.ts'
import { functiongemma } from '../model/functiongemma.ts'
import { ask, endpointOf } from '../model/http.ts'
import type { Model } from '../model/model.ts'
import { openai } from '../model/openai.ts'
import { isServer, type ServerOptions, servers } from '../model/servers.ts'
import { settingsRequest } from '../trust/settings.ts'
import { requireTrust, type Trusts } from '../trust/trust.ts'
import { configFor, type ProjectOptions } from './context.ts'
import type { Front } from './front.ts'

type Loaded = Pick<LoadedConfig, 'config' | 'sources' | 'file'>

/** Which model a command is about. */
export interface ModelOptions {
  readonly model?: string
  readonly url?: string
}

/** The configuration for a command that takes `--model` and `--url`. */
export const configWithModel = (options: ProjectOptions & ModelOptions, cwd?: string): LoadedConfig =>
  configFor({ ...options, set: [...(options.set ?? []), ...modelAssignments(options)] }, cwd)

const ADAPTERS = ['first-candidate', 'functiongemma', 'openai']

/**
 * `--model ADAPTER[:NAME]` or `--model SERVER:NAME`, and `--url`, as assignments of the configuration's keys.
 * @internal
 */
export function modelAssignments(options: ModelOptions): string[] {
  const set: string[] = []
  if (options.model !== undefined) {
    const [first = '', ...name] = options.model.split(':')
    const server = isServer(first) && first !== 'openai'
    if (!server && !ADAPTERS.includes(first))
      throw new TwotrackError(
        'bad_argument',
        `--model ${options.model}: there is no adapter or server "${first}". Say first-candidate, functiongemma, openai:NAME, or a server, such as ollama:NAME.`,
      )
    set.push(...(server ? ['model.adapter=openai', `model.server=${first}`] : [`model.adapter=${first}`]))
    if (name.length > 0) set.push(`model.name=${name.join(':')}`)
  }
  if (options.url !== undefined) set.push(`model.url=${options.url}`)
  return set
}

/** The one place that chooses a model. */
export function modelFor(loaded: Loaded, front: Pick<Front, 'note'>): Model {
  const { adapter, name, url, server } = loaded.config.model
  if (adapter === 'first-candidate') return firstCandidate()
  if (adapter === 'functiongemma') {
    if (url === '' && servers[server].url === '') {
      throw new TwotrackError(
        'bad_config',
        'functiongemma needs the address of a completions server: --url http://127.0.0.1:8080',
      )
    }
    return functiongemma({ ...optionsFor(loaded, front), ...(name === '' ? {} : { model: name }) })
  }
  if (name === '')
    throw new TwotrackError('bad_config', 'openai needs the name of a model: --model openai:NAME')
  return openai({ ...optionsFor(loaded, front), model: name })
}

/** The larger model for agents that are stuck, if one is configured. */
export function escalationFor(loaded: Loaded, front: Pick<Front, 'note'>): Model | undefined {
  const { name, url } = loaded.config.escalation
  if (name === '') return undefined
  return openai({ model: name, ...(url === '' ? {} : { url }), ...keyFor('escalation', loaded, front) })
}

/** What the configuration says of the model. A key that nobody set is left to the defaults of the server. */
function optionsFor(loaded: Loaded, front: Pick<Front, 'note'>) {
  const { config, sources } = loaded
  const { model } = config
  const ifSet = <K extends keyof typeof model>(key: K) =>
    sources[`model.${key}`] === 'default' ? undefined : model[key]
  return {
    ...keyFor('model', loaded, front),
    ...(model.url === '' ? {} : { url: model.url }),
    ...defined({
      server: ifSet('server'),
      maxTokens: ifSet('max_tokens'),
      temperature: ifSet('temperature'),
    }),
    ...defined({ toolChoice: ifSet('tool_choice'), textCalls: ifSet('text_calls') }),
    deadlineMs: model.deadline_ms,
    topP: model.top_p,
    seed: model.seed,
    stop: model.stop,
    stream: model.stream,
    bos: model.bos,
    extra: objectOf(model.extra),
  }
}

function objectOf(value: Record<string, unknown>): JsonObject {
  const json = toJson(value)
  return isObject(json) ? json : {}
}

/**
 * The key of the environment, for an address that the person chose. One that a project's file chose could be
 * anybody's: there the key stays, and the person is told how to allow it.
 */
function keyFor(
  section: 'model' | 'escalation',
  { config, sources, file }: Loaded,
  front: Pick<Front, 'note'>,
): ServerOptions {
  const apiKey = process.env['OPENAI_API_KEY']
  const { url } = config[section]
  const { server } = config.model
  // Empty: OpenAI's own address, or OPENAI_BASE_URL.
  const chosen = url || (section === 'model' && server !== 'openai' ? servers[server].url : '')
  const source = sources[url === '' ? 'model.server' : `${section}.url`]
  if (!apiKey || chosen === '' || source !== 'file') return apiKey ? { apiKey } : {}
  const flag = section === 'model' ? '--url' : '--set escalation.url=…'
  front.note(
    `the key in OPENAI_API_KEY is not sent to ${chosen}, an address that ${file ?? 'a file'} chose. ` +
      `If you trust it, give it yourself: ${flag}, or TWOTRACK_${section.toUpperCase()}_URL in your environment.`,
  )
  return { apiKey: null }
}

const PROBE_MS = 5_000

/** Asks the configured model's server for its list of models; the embedded default is always there. */
export async function reachable(
  loaded: LoadedConfig,
  trusts: Trusts,
  front: Pick<Front, 'note'>,
): Promise<{ name: string; ok: boolean; message: string }> {
  const { adapter, name, server } = loaded.config.model
  const shown = name === '' ? adapter : `${adapter}:${name}`
  try {
    const settings = await settingsRequest(loaded)
    if (settings) requireTrust({ trusts }, settings)
    modelFor(loaded, front)
    if (adapter === 'first-candidate') return { name: shown, ok: true, message: 'embedded' }
    const url = loaded.config.model.url || servers[server].url
    if (url === '') return { name: shown, ok: true, message: 'the default server was not asked' }
    const endpoint = endpointOf(url.replace(/\/v1\/?$/, ''), PROBE_MS)
    const path = server === 'ollama' ? '/api/tags' : '/v1/models'
    await ask(endpoint, { path }, new AbortController().signal, async (body) => ({ text: await body.text() }))
    return { name: shown, ok: true, message: 'answers' }
  } catch (thrown) {
    // A server that refuses this one question, or asks for a key first, is there.
    const kind = modelFaultOf(thrown)?.kind
    return { name: shown, ok: kind === 'rejected' || kind === 'unauthorized', message: messageOf(thrown) }
  }
}
