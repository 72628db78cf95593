import type { Config } from '../config/config.ts'
import { TwotrackError } from '../errors.ts'
import { firstCandidate } from '../model/first-candidate.ts'
import { functiongemma } from '../model/functiongemma.ts'
import type { Model } from '../model/model.ts'
import { openai } from '../model/openai.ts'

/** `--model ADAPTER[:NAME]` and `--url` as assignments of the configuration's keys. */
export function modelAssignments(options: { model?: string; url?: string }): string[] {
  const set: string[] = []
  if (options.model !== undefined) {
    const colon = options.model.indexOf(':')
    set.push(`model.adapter=${colon === -1 ? options.model : options.model.slice(0, colon)}`)
    if (colon !== -1) set.push(`model.name=${options.model.slice(colon + 1)}`)
  }
  if (options.url !== undefined) set.push(`model.url=${options.url}`)
  return set
}

/** The one place that chooses a model. */
export function modelFor({ model }: Config): Model {
  const { adapter, name, url, server, deadline_ms: deadlineMs } = model
  if (adapter === 'first-candidate') return firstCandidate()
  if (url === '' && adapter === 'functiongemma') {
    throw new TwotrackError(
      'bad_config',
      'functiongemma needs the address of a completions server: --url http://127.0.0.1:8080',
    )
  }
  if (adapter === 'functiongemma')
    return functiongemma({ url, server, deadlineMs, ...(name === '' ? {} : { model: name }) })
  if (name === '')
    throw new TwotrackError('bad_config', 'openai needs the name of a model: --model openai:NAME')
  return openai({ model: name, deadlineMs, ...(url === '' ? {} : { url }) })
}

/** The larger model for agents that are stuck, if one is configured. */
export function escalationFor({ escalation }: Config): Model | undefined {
  const { name, url } = escalation
  return name === '' ? undefined : openai({ model: name, ...(url === '' ? {} : { url }) })
}
