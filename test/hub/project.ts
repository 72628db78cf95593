import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openHub, type ProjectHub } from '../../src/hub/open.ts'

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

/** A hub that is closed after the test. */
export const hubFor = (project: string, folder?: string | null): ProjectHub => {
  const hub = openHub({ project, ...(folder === undefined ? {} : { folder }) })
  onTestFinished(() => hub.close())
  return hub
}
