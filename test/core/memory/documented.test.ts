import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const textOf = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

test('docs/memory.md tells of what the published types of Memory have, and of nothing else', () => {
  const [, body = ''] = /class AgentMemory \{\n([\s\S]*?)\n\}/.exec(textOf('api/twotrack.api.md')) ?? []
  const published = [...body.matchAll(/^ {4}(?:readonly |get )?([a-z]\w*)/gim)].map(([, name]) => name)
  const [, tables = ''] = /\n## Methods\n([\s\S]*?)\n## /.exec(textOf('docs/memory.md')) ?? []
  const rows = tables.split('\n').flatMap((line) => /^\| (`.*?) \|/.exec(line)?.[1] ?? [])
  const told = rows.flatMap((row) => [...row.matchAll(/`(?:Memory\.)?(\w+)/g)].map(([, name]) => name))
  expect(told.filter((name) => name !== 'open').sort()).toEqual(published.sort())
})
