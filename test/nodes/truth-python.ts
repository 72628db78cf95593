import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseNodes } from '../../src/nodes/parse.ts'
import { type Comparison, compare, type Definition, ourDefinitions, paramText, squeeze } from './truth.ts'

type Row = [string, string, number, number, string | null, [string, string | null, boolean][], string | null]

const toDefinition = ([
  qualified_name,
  type,
  start_line,
  end_line,
  docstring,
  params,
  returns,
]: Row): Definition => ({
  qualified_name,
  type,
  start_line,
  end_line,
  docstring,
  params: params.map((param) => paramText(...param)),
  returns: returns === null ? null : squeeze(returns),
})

/** The system's own Python library, null where there is none. */
export const pythonLibrary = (): string | null =>
  globSync('/usr/lib/python3.*').find((folder) => existsSync(join(folder, 'ast.py'))) ?? null

/** Compares every file that Python itself can parse. */
export const comparePython = async (paths: readonly string[]): Promise<Comparison & { files: number }> => {
  const script = join(import.meta.dirname, 'truth.py')
  const run = spawnSync('python3', [script], {
    input: paths.join('\n'),
    maxBuffer: 1 << 30,
    encoding: 'utf8',
  })
  if (run.status !== 0) throw new Error(`python3 ended with ${run.status}: ${run.stderr}`)
  const answers = run.stdout.trimEnd().split('\n')
  const comparison = { definitions: 0, agreed: 0, differences: [], files: 0 }
  for (const [index, path] of paths.entries()) {
    const rows: Row[] | null = JSON.parse(answers[index] ?? 'null')
    if (rows === null) continue
    comparison.files += 1
    const { nodes } = await parseNodes(path, readFileSync(path))
    compare(path, ourDefinitions(nodes), rows.map(toDefinition), comparison)
  }
  return comparison
}
