import { resolve } from 'node:path'
import type { LoadedConfig } from '../config/load.ts'
import type { LogEntry } from '../core/store/store.ts'
import { recordsRequest } from '../trust/records.ts'
import { remember, trustFile } from '../trust/store.ts'
import type { TrustRequest } from '../trust/trust.ts'
import { storesIn } from './context.ts'
import { trustOf } from './trust.ts'

/** Whose the records of a project are, and which logs are among them. */
export interface Records {
  readonly folder: string
  /** Undefined where this person made them here. */
  readonly request?: TrustRequest
  readonly admitted: boolean
  readonly logs: readonly LogEntry[]
}

export async function recordsOf({ config, root }: LoadedConfig): Promise<Records> {
  const folder = resolve(root, config.runner.memory.folder)
  const request = await recordsRequest(root, folder)
  if (request === undefined) return { folder, admitted: true, logs: [] }
  const logs: LogEntry[] = []
  for (const store of storesIn(folder))
    try {
      logs.push(...(await store.list()))
    } finally {
      await store.close()
    }
  const { trusts } = await trustOf(root, {}, { note() {}, agrees: async () => false })
  return { folder, request, admitted: trusts(request), logs }
}

export const admitRecords = (project: string, request: TrustRequest): Promise<void> =>
  remember(trustFile(process.env), project, [request])
