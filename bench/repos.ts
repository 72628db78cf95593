/**
 * What linting real repositories comes to: proposals, and how many of them the project's own linter, formatter, type
 * checker and tests accept.
 *
 *     npm run bench:repos -- PATH… [--faults 20] [--diffs FILE]
 *
 * Each path is a clean git checkout with its packages installed; it is as before at the end. Most repositories have
 * nothing for a linter to fix, so faults are put into some files first (repos-faults.ts). The files are linted, all
 * proposals accepted, and the project is checked with its own tools, compared with what they said before.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Discovery, discovery } from '../src/agents/lint/discover.ts'
import type { Formatter, Linter } from '../src/agents/lint/linter.ts'
import { withoutThese } from '../src/agents/lint/linter.ts'
import { Tree } from '../src/agents/lint/tree.ts'
import { findFiles } from '../src/nodes/find.ts'
import { commentsOf } from '../src/nodes/parse.ts'
import { type Check, checksOf, outcomeOf, run, verdict } from './repos-checks.ts'
import { faulty } from './repos-faults.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    faults: { type: 'string', default: '20' },
    diffs: { type: 'string' },
    checks: { type: 'boolean', default: true },
  },
  allowNegative: true,
})
const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))
/** Comments for a linter that are not needed any more are no loss. */
const DIRECTIVE = /noqa|(?:eslint|biome|oxlint)-(?:disable|ignore)/
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'core.quotepath=off', ...args], { cwd, encoding: 'utf8', maxBuffer: 1e9 })
const textAt = (project: string, path: string) => readFileSync(join(project, path), 'utf8')

console.log(
  '| repository | tools | files | found | proposals | linter | formatter | types | tests | comments lost | linter alone | run | memory | disk |',
)
console.log(`|${' --- |'.repeat(14)}`)
for (const path of positionals) console.log(await rowOf(path))

async function rowOf(project: string): Promise<string> {
  if (git(project, 'status', '--porcelain').trim() !== '')
    return `| ${basename(project)} | it has changes of its own |`
  const signal = new AbortController().signal
  const tooling = discovery({ project, signal, trusts: () => true })
  const paths = (await findFiles(project, ['.'])).files.map((file) => file.path)
  const { types, tests } = values.checks ? checksOf(project) : {}
  const before = { types: await said(types, project), tests: await said(tests, project) }
  try {
    plant(project, paths, Number(values.faults))
    const start = performance.now()
    const found = await lintedWith(tooling, project, paths, signal)
    const alone = (performance.now() - start) / 1_000
    const old = new Map(paths.map((one) => [one, textAt(project, one)]))
    let disk = 0
    const node = [process.execPath, MAIN]
    const ran = await run(
      [...node, 'run', 'lint', '.', '--trust', '--no-hub', '--fail-on', 'never'],
      project,
      () => {
        disk = Math.max(
          disk,
          bytesUnder(join(project, '.agentfs', 'copies')) +
            bytesUnder(join(project, '.agentfs', 'workspaces')),
        )
      },
    )
    await run([...node, 'accept', '--all'], project)
    const changed = paths.filter((one) => textAt(project, one) !== old.get(one))
    if (values.diffs) for (const one of changed) keepDiff(values.diffs, project, one, old.get(one) ?? '')
    const after = await lintedWith(tooling, project, changed, signal)
    const good = changed.filter(
      (one) => withoutThese(after.get(one) ?? [], found.get(one) ?? []).length === 0,
    )
    const formatted = await unchangedBy(tooling, project, changed, signal)
    const lost = await commentsLost(project, changed, old)
    const [typed, tested] = [await said(types, project), await said(tests, project)]
    const of = (count: number | undefined) => (count === undefined ? '–' : `${count} of ${changed.length}`)
    const tools = new Set<string>()
    for (const one of paths) for (const { name } of await toolsOf(tooling, one)) tools.add(name)
    const problems = [...found.values()].reduce((sum, one) => sum + one.length, 0)
    return `| ${[
      ...[basename(project), [...tools].join(', '), paths.length, problems, changed.length, of(good.length)],
      ...[of(formatted), verdict(types, before.types, typed), verdict(tests, before.tests, tested), lost],
      ...[`${alone.toFixed(1)} s`, `${ran.seconds.toFixed(1)} s`, `${ran.memory_mb.toFixed(0)} MB`],
      `${(disk / 1e6).toFixed(0)} MB`,
    ].join(
      ' | ',
    )} |${ran.code === 0 ? '' : ` ended with ${ran.code}: ${ran.output.slice(-300).replaceAll('\n', ' ')}`}`
  } finally {
    git(project, 'checkout', '-q', '--', '.')
    rmSync(join(project, '.agentfs'), { recursive: true, force: true })
  }
}

/** Into as many files as asked for, evenly spread over the project, each kind of fault in turn. */
function plant(project: string, paths: readonly string[], count: number): void {
  const step = Math.max(1, Math.floor(paths.length / Math.max(1, count)))
  for (let nth = 0; nth < count; nth++) {
    const path = paths[nth * step]
    const text = path === undefined ? '' : textAt(project, path)
    if (path !== undefined) writeFileSync(join(project, path), faulty(path, text, nth))
  }
}

async function toolsOf(discovery: Discovery, path: string): Promise<(Linter | Formatter)[]> {
  const formatter = await discovery.formatter(path)
  return [
    ...(await discovery.linters(path)).filter((linter) => linter.covers(path)),
    ...(formatter ? [formatter] : []),
  ]
}

async function lintedWith(discovery: Discovery, root: string, paths: readonly string[], signal: AbortSignal) {
  const groups = new Map<Linter, string[]>()
  for (const path of paths)
    for (const linter of await discovery.linters(path))
      if (linter.covers(path)) groups.set(linter, [...(groups.get(linter) ?? []), path])
  const found = new Map()
  for (const [linter, own] of groups)
    for (const [path, problems] of await linter.check(new Tree(root, signal), own)) found.set(path, problems)
  return found
}

/** How many files the project's formatter leaves as they are; undefined where it has none. */
async function unchangedBy(
  discovery: Discovery,
  root: string,
  paths: readonly string[],
  signal: AbortSignal,
) {
  const groups = new Map<Formatter, string[]>()
  for (const path of paths) {
    const formatter = await discovery.formatter(path)
    if (formatter) groups.set(formatter, [...(groups.get(formatter) ?? []), path])
  }
  let count = 0
  for (const [formatter, own] of groups) {
    const before = own.map((path) => textAt(root, path))
    await formatter.write(new Tree(root, signal), own)
    for (const [at, path] of own.entries()) {
      if (textAt(root, path) === before[at]) count++
      writeFileSync(join(root, path), before[at] ?? '')
    }
  }
  return groups.size > 0 ? count : undefined
}

async function commentsLost(project: string, paths: readonly string[], old: ReadonlyMap<string, string>) {
  let lost = 0
  for (const path of paths) {
    const [before, after] = [
      await commentsOf(path, old.get(path) ?? ''),
      await commentsOf(path, textAt(project, path)),
    ]
    lost += before?.filter((comment) => !DIRECTIVE.test(comment) && !after?.includes(comment)).length ?? 0
  }
  return lost
}

async function said(check: Check | undefined, project: string) {
  return check && outcomeOf(check, project)
}

function keepDiff(file: string, project: string, path: string, before: string): void {
  const own = join(project, '.agentfs', 'before')
  writeFileSync(own, before)
  const diff = execFileSync('sh', ['-c', 'diff -U2 "$1" "$2" || true', 'sh', own, join(project, path)])
  appendFileSync(file, `=== ${basename(project)} ${path}\n${diff}`)
}

/** As the disk has them; links are not followed. */
function bytesUnder(folder: string): number {
  if (!existsSync(folder)) return 0
  const { stdout } = spawnSync('du', ['-sb', folder], { encoding: 'utf8' })
  return Number.parseInt(stdout, 10) || 0
}
