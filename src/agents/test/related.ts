import { posix } from 'node:path'
import { readInside } from '../../files/files.ts'
import { isTestFile } from '../../nodes/edges.ts'
import { findFiles } from '../../nodes/find.ts'
import { languageOf } from '../../nodes/grammar.ts'
import type { Import } from '../../nodes/node.ts'
import { parseNodes } from '../../nodes/parse.ts'

const RELATED_MAX = 20

/** Test files that belong to a file: itself if it is one, those named after it, those that import it. */
export async function testsFor(workspace: string, path: string): Promise<string[]> {
  if (isTestFile(path)) return [path]
  const isPython = languageOf(path)?.name === 'python'
  const { files } = await findFiles(workspace, ['.'])
  const tests = files
    .map((file) => file.path)
    .filter((test) => isTestFile(test) && (languageOf(test)?.name === 'python') === isPython && isCases(test))
  const related: string[] = []
  for (const test of tests)
    if (
      related.length < RELATED_MAX &&
      (isNamedAfter(test, path) || (await importsIt(workspace, test, path)))
    )
      related.push(test)
  return related
}

/** Files in a test folder that only help the tests hold no cases. */
const isCases = (path: string): boolean => !/(?:^|\/)(?:__init__|conftest)\.py$/.test(path)

const stemOf = (path: string): string => posix.basename(path).replace(/\.\w+$/, '')

function isNamedAfter(test: string, path: string): boolean {
  const stem = stemOf(path)
  const own = stemOf(test)
  return [`test_${stem}`, `${stem}_test`, `${stem}.test`, `${stem}.spec`].includes(own)
}

async function importsIt(workspace: string, test: string, path: string): Promise<boolean> {
  const { nodes } = await parseNodes(test, await readInside(workspace, test))
  const imports = nodes[0]?.imports ?? []
  const leads = languageOf(path)?.name === 'python' ? pythonLeadsTo : scriptLeadsTo
  return imports.some((imported) => leads(imported, test, path))
}

/** `pkg.module`, `from pkg import module`; relative ones from the test's own package. */
function pythonLeadsTo({ module, names }: Import, test: string, path: string): boolean {
  const dots = /^\.*/.exec(module)?.[0].length ?? 0
  const base = dots > 0 ? posix.join(posix.dirname(test), ...Array<string>(dots - 1).fill('..')) : ''
  const target = posix.join(base, module.slice(dots).replaceAll('.', '/'))
  const paths = [target, ...names.map(({ name }) => posix.join(target, name))]
  return paths.some((candidate) =>
    [`${candidate}.py`, `${candidate}/__init__.py`].some(
      (file) => path === file || (dots === 0 && path.endsWith(`/${file}`)),
    ),
  )
}

/** A relative import, with or without its ending; `./a.js` is written for `a.ts`. */
function scriptLeadsTo({ module }: Import, test: string, path: string): boolean {
  if (!module.startsWith('.')) return false
  const target = posix.join(posix.dirname(test), module)
  const bare = (file: string) => file.replace(/\.[cm]?[jt]sx?$/, '')
  return bare(target) === bare(path) || `${target}/index` === bare(path)
}
