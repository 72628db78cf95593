import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type RunningHub, type StartOptions, startHub } from '../../src/hub/serve/running.ts'

export const put = (root: string, files: Record<string, string>): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

/** A project in a temporary folder, removed after the test. */
export const projectWith = (files: Record<string, string>): string => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'twotrack-hub-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  put(root, files)
  return root
}

/** A hub in this process, indexed, and stopped after the test. */
export const hubFor = async (project: string, options: Partial<StartOptions> = {}): Promise<RunningHub> => {
  const hub = await startHub({ project, ...options })
  onTestFinished(() => hub.stop())
  await hub.ready
  return hub
}

/** Waits until a condition holds; the test's own time limit is the only one. */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((done) => setTimeout(done, 10))
}
