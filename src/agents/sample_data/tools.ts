import { join } from 'node:path'
import { z } from 'zod'
import type { AgentCode, ContextProvider } from '../../agent/agent.ts'
import type { JsonObject } from '../../core/event/json.ts'
import { TwotrackError } from '../../errors.ts'
import { lstatOrAbsent } from '../../files/confine.ts'
import { listInside } from '../../files/files.ts'
import { readNodeFile } from '../../nodes/node-file.ts'
import { success } from '../../tool/result.ts'
import { defineTool, filesOf } from '../../tool/tool.ts'
import { projectOf } from '../per-run.ts'
import { analyzeSignature } from '../signature.ts'
import { callableIn, type Fixtures, fixtureProblems } from './check.ts'

const FOLDERS = ['tests/fixtures', 'test/fixtures', 'fixtures']

const writeFixtureFile = defineTool({
  name: 'write_fixture_file',
  description:
    'Writes sample arguments for functions to a fixture file. Refused, with the reason, where they do not fit the code.',
  effect: 'idempotent',
  filesOnly: true,
  input: z.strictObject({
    fixtures: z
      .record(z.string(), z.array(z.record(z.string(), z.json())))
      .describe('function name → list of arguments by name'),
  }),
  async run({ fixtures }, context) {
    const file = await readNodeFile(context)
    const path = `${await folderOf(projectOf(context))}/${stemOf(file.path)}.json`
    const problems = fixtureProblems(file, fixtures as Fixtures)
    const cases = Object.values(fixtures).reduce((sum, list) => sum + list.length, 0)
    if (cases === 0) problems.push('There is no case in them.')
    if (context.project && (await lstatOrAbsent(join(context.project, path))))
      problems.push(`The project has ${path} already.`)
    if (problems.length > 0)
      throw new TwotrackError('bad_argument', `No fixtures were written. ${problems.slice(0, 8).join(' ')}`)
    await filesOf(context).write(path, `${JSON.stringify(fixtures, null, 2)}\n`)
    const known = { fixtures_written: cases, fixture_file: path }
    return success(
      { path, cases, fixtures: fixtures as JsonObject },
      `Wrote ${cases} fixtures to ${path}.`,
      known,
    )
  },
})

/** `inventory/stock.py` → `inventory_stock`: two files of one name in two folders stay apart. */
const stemOf = (path: string): string => path.replace(/\.\w+$/, '').replace(/[^\w]+/g, '_')

async function folderOf(project: string): Promise<string> {
  for (const folder of FOLDERS) if (await isThere(project, folder)) return folder
  return (await isThere(project, 'test')) ? 'test/fixtures' : 'tests/fixtures'
}

const isThere = (project: string, folder: string): Promise<boolean> =>
  listInside(project, folder).then(
    () => true,
    () => false,
  )

/** What there is already, and which functions could do with data. */
const existingFixtures: ContextProvider = async (context) => {
  const wanted = callableIn(await readNodeFile(context)).map(({ qualified_name }) => qualified_name)
  const known = { fixtures_wanted: wanted.slice(0, 30), fixtures_wanted_count: wanted.length }
  for (const folder of FOLDERS) {
    const entries = await listInside(projectOf(context), folder).catch(() => [])
    if (entries.length > 0)
      return { ...known, existing_fixtures: entries.slice(0, 20).map(({ name }) => `${folder}/${name}`) }
  }
  return { ...known, existing_fixtures: [] }
}

export const sampleDataCode: AgentCode = {
  tools: Object.fromEntries([analyzeSignature, writeFixtureFile].map((tool) => [tool.name, tool])),
  context: { existing_fixtures: Object.assign(existingFixtures, { filesOnly: true }) },
  summarizers: {},
}
