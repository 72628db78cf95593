import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { applyPatch, structuredPatch } from 'diff'
import { z } from 'zod'
import { TwotrackError } from '../../errors.ts'
import { tryParse } from '../../event/json.ts'
import { collectCommand } from '../collect-command.ts'
import { byPlace, type Issue, type Linter, type LintPlace } from './linter.ts'
import { withMirror } from './mirror.ts'
import { requirePlugins } from './plugins.ts'

const require = createRequire(import.meta.url)
const manifest = require.resolve('oxlint/package.json')
const { version } = z.object({ version: z.string() }).parse(require(manifest))
const PROGRAM = join(dirname(manifest), 'bin', 'oxlint')
const ROUNDS_MAX = 5

const report = z.object({
  diagnostics: z.array(
    z.object({
      message: z.string(),
      code: z.string().optional(),
      labels: z
        .array(z.object({ span: z.object({ line: z.number(), column: z.number() }).partial() }))
        .default([]),
    }),
  ),
})

/** Oxlint as a child process, with the project's own configuration. */
export const oxlint: Linter = {
  name: `oxlint ${version}`,
  async find(place) {
    return (await diagnose(place, place.workspace)).sort(byPlace)
  },
  async check(place) {
    const found = await diagnose(place, place.workspace)
    if (found.length === 0) return []
    const left = await withMirror(place, (folder) => diagnose(place, folder, ['--fix']))
    return withFixable(found, left).sort(byPlace)
  },
  fixAll: (place) =>
    withMirror(place, async (folder) => {
      let before = place.text
      for (let round = 1; ; round++) {
        const left = await diagnose(place, folder, ['--fix'])
        const text = await readFile(join(folder, place.path), 'utf8')
        if (text === before || round === ROUNDS_MAX) return { text, left }
        before = text
      }
    }),
  async fixOne(place, { code, line }) {
    const only = ['-A', 'all', '-D', ruleOf(code), '--fix']
    const fixed = await withMirror(place, async (folder) => {
      await diagnose(place, folder, only)
      return readFile(join(folder, place.path), 'utf8')
    })
    return onlyAt(place.text, fixed, line)
  },
  async configuration() {
    return 'the .oxlintrc.json files on the way to it, or the defaults'
  },
}

async function diagnose(place: LintPlace, root: string, options: readonly string[] = []): Promise<Issue[]> {
  await requirePlugins(place)
  const argv = [process.execPath, PROGRAM, '--format', 'json', ...options, place.path]
  const { text, exit_code } = await collectCommand(argv, {
    root,
    signal: place.signal,
    allow: [{ program: process.execPath, starts: [PROGRAM] }],
  })
  const parsed = report.safeParse(tryParse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)))
  if (!parsed.success) {
    const said = text.trim().slice(0, 300) || `nothing, and ended with ${exit_code}`
    throw new TwotrackError('bad_config', `oxlint could not check ${place.path}; it said: ${said}`)
  }
  return parsed.data.diagnostics.map(({ message, code = 'syntax', labels }) => {
    const { line = 1, column = 1 } = labels[0]?.span ?? {}
    return { code, line, column, message, fixable: false }
  })
}

/** Oxlint does not say what it could fix; what is gone after a fix on the side is. Lines may have moved by then. */
function withFixable(found: readonly Issue[], left: readonly Issue[]): Issue[] {
  const remaining = new Map<string, number>()
  const keyOf = ({ code, message }: Issue) => `${code} ${message}`
  for (const issue of left) remaining.set(keyOf(issue), (remaining.get(keyOf(issue)) ?? 0) + 1)
  return found.toReversed().map((issue) => {
    const count = remaining.get(keyOf(issue)) ?? 0
    if (count > 0) remaining.set(keyOf(issue), count - 1)
    return { ...issue, fixable: count === 0 }
  })
}

/** `eslint(no-debugger)` is `no-debugger` on the command line, `unicorn(no-empty-file)` is `unicorn/no-empty-file`. */
function ruleOf(code: string): string {
  const open = code.indexOf('(')
  if (open === -1 || !code.endsWith(')')) return code
  const plugin = code.slice(0, open).replace('-eslint', '')
  const rule = code.slice(open + 1, -1)
  return plugin === 'eslint' ? rule : `${plugin}/${rule}`
}

/** Of all changes, those at one line. */
function onlyAt(before: string, after: string, line: number): string {
  const patch = structuredPatch('a', 'b', before, after, undefined, undefined, { context: 0 })
  const hunks = patch.hunks.filter(
    ({ oldStart, oldLines }) => line >= oldStart && line < oldStart + Math.max(oldLines, 1),
  )
  if (hunks.length === 0) return before
  const applied = applyPatch(before, { ...patch, hunks })
  return applied === false ? before : applied
}
