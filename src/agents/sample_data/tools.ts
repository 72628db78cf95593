import { stringify } from 'yaml'
import { z } from 'zod'
import type { AgentCode, ContextProvider } from '../../agent/agent.ts'
import { TwotrackError } from '../../errors.ts'
import type { Json, JsonObject } from '../../event/json.ts'
import { listInside, writeInside } from '../../files/files.ts'
import { readNodeFile } from '../../nodes/node-file.ts'
import { parseNodes } from '../../nodes/parse.ts'
import { partial, success } from '../../tool/result.ts'
import { defineTool } from '../../tool/tool.ts'
import { analyzeSignature } from '../signature.ts'
import { asJson, fixturesFor } from './fixtures.ts'
import { pythonSource } from './python-source.ts'

const formats = ['json', 'yaml', 'python'] as const
type Format = (typeof formats)[number]

const ENDINGS: Readonly<Record<Format, string>> = { json: '.json', yaml: '.yaml', python: '_fixtures.py' }
const FOLDERS = ['tests/fixtures', 'test/fixtures', 'fixtures']

const writeFixtureFile = defineTool({
  name: 'write_fixture_file',
  description:
    'Writes sample arguments for functions to a fixture file; without fixtures, some derived from types.',
  effect: 'idempotent',
  input: z.strictObject({
    fixtures: z
      .record(z.string(), z.array(z.record(z.string(), z.json())))
      .optional()
      .describe('function name → list of arguments by name'),
    format: z.enum(formats).default('json'),
  }),
  async run({ fixtures, format }, context) {
    const file = await readNodeFile(context)
    const derived = fixturesFor(file)
    const open = derived.flatMap(({ name, open }) => open.map((param) => `${name}(${param})`))
    const content = (fixtures as JsonObject | undefined) ?? asJson(derived)
    const cases = Object.values(content).reduce<number>(
      (sum, list) => sum + (Array.isArray(list) ? list.length : 0),
      0,
    )
    const knowledge = { fixtures_open: open.slice(0, 10) }
    if (cases === 0)
      return partial({ open }, `No parameter of ${file.path} has a type that a value can be made of.`, {
        ...knowledge,
        fixtures_written: 0,
      })
    const path = `${await folderOf(context.workspace)}/${stemOf(file.path)}${ENDINGS[format]}`
    await writeInside(context.workspace, path, await rendered(content, format, path))
    const left = open.length === 0 ? '' : ` Left open: ${open.join(', ')}.`
    return success(
      { path, cases, open, fixtures: content },
      `Wrote ${cases} fixtures to ${path}.${left}`.slice(0, 300),
      {
        ...knowledge,
        fixtures_written: cases,
        fixture_file: path,
      },
    )
  },
})

/** `inventory/stock.py` → `inventory_stock`: two files of one name in two folders stay apart. */
const stemOf = (path: string): string => path.replace(/\.\w+$/, '').replace(/[^\w]+/g, '_')

async function folderOf(workspace: string): Promise<string> {
  for (const folder of FOLDERS) if (await isThere(workspace, folder)) return folder
  return (await isThere(workspace, 'test')) ? 'test/fixtures' : 'tests/fixtures'
}

const isThere = (workspace: string, folder: string): Promise<boolean> =>
  listInside(workspace, folder).then(
    () => true,
    () => false,
  )

async function rendered(content: Json, format: Format, path: string): Promise<string> {
  if (format === 'json') return `${JSON.stringify(content, null, 2)}\n`
  if (format === 'yaml') return stringify(content)
  const text = `"""Sample arguments by function."""\n\nFIXTURES = ${pythonSource(content)}\n`
  const { parsed } = await parseNodes(path, text)
  if (!parsed)
    throw new TwotrackError('bad_argument', 'These fixtures cannot be written as Python; use json.')
  return text
}

const existingFixtures: ContextProvider = async ({ workspace }) => {
  for (const folder of FOLDERS) {
    const entries = await listInside(workspace, folder).catch(() => [])
    if (entries.length > 0)
      return { existing_fixtures: entries.slice(0, 20).map(({ name }) => `${folder}/${name}`) }
  }
  return { existing_fixtures: [] }
}

export const sampleDataCode: AgentCode = {
  tools: Object.fromEntries([analyzeSignature, writeFixtureFile].map((tool) => [tool.name, tool])),
  context: { existing_fixtures: existingFixtures },
  summarizers: {},
}
