import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandLinter } from '../../src/agents/lint/command.ts'
import { LINTERS } from '../../src/agents/lint/rows.ts'
import { Tree } from '../../src/agents/lint/tree.ts'
import { put, scratch } from '../workspace/scratch.ts'

/** A report of each kind that says that all is well. */
const EMPTY: Readonly<Record<string, string>> = {
  ...{ ruff: '[]', flake8: '', pylint: '[]', eslint: '[]', xo: '[]' },
  ...{ biome: '', oxlint: '{"diagnostics":[]}' },
}

async function linter(name: string, script: string) {
  const root = await scratch()
  await put(root, { 'a.py': 'x = 1\n' })
  const file = join(root, 'tool')
  await writeFile(file, `#!/bin/sh\n${script}\n`)
  await chmod(file, 0o755)
  const row = LINTERS.find((one) => one.name === name)
  if (!row) throw new Error(name)
  return {
    linter: commandLinter({
      row,
      program: { file, version: '1' },
      config: 'none',
      folder: '',
      covers: () => true,
    }),
    tree: new Tree(root, new AbortController().signal),
    file,
  }
}

describe.each(LINTERS.map(({ name }) => name))('%s', (name) => {
  const empty = `printf '%s' '${EMPTY[name]}'`

  test('that ran and found nothing found nothing', async () => {
    const { linter: one, tree } = await linter(name, empty)
    expect([...(await one.check(tree, ['a.py']))]).toEqual([])
  })

  test.each([
    ['says nothing and ends with 1', 'exit 1'],
    ['says nothing and ends with 2', 'exit 2'],
    ['crashes with a trace', 'echo "Traceback (most recent call last):" >&2; exit 1'],
    ['reports that all is well and ends with 2', `${empty}; exit 2`],
    ['reports that all is well and is killed', `${empty}; kill -KILL $$`],
    ['reports that all is well and crashes', `${empty}; kill -SEGV $$`],
    ['writes something else', 'echo "usage: tool [options]"; exit 2'],
    ['writes half a report', `echo '[{"code": "X", "filename'; exit 1`],
    ['can’t be started', ''],
  ])('that %s has failed', async (how, script) => {
    const { linter: one, tree, file } = await linter(name, script)
    if (how.startsWith('can’t')) await chmod(file, 0o644)
    await expect(one.check(tree, ['a.py'])).rejects.toMatchObject({
      code: expect.stringMatching(/bad_config|missing/),
    })
  })

  test('that is killed while it fixes has failed', async () => {
    const { linter: one, tree } = await linter(name, ': > a.py; kill -KILL $$')
    if (one.fix) await expect(one.fix(tree, ['a.py'])).rejects.toMatchObject({ code: 'bad_config' })
  })
})
