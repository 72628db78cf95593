import { cut } from '../../text/cut.ts'
import { firstOf, plural, quoted } from '../../text/lines.ts'
import type { Observation, Summarizer } from '../summarizer.ts'
import { lookAt } from '../within.ts'
import { type PackageCall, packageCalls } from './command.ts'
import { type PackageOutput, readPackageOutput } from './output.ts'

const SENTENCE_CHARS_MAX = 290
const NAMED_MAX = 5
const REASONS_MAX = 3
const REASONS_CHARS_MAX = 180

/** A package manager dealt with dependencies: what came, went and is there, or what failed and why. */
export const packages: Summarizer = {
  name: 'packages',
  summarize(seen) {
    const calls = callsOf(seen)
    if (calls === undefined) return undefined
    const output = readPackageOutput(lookAt(seen.shown).lines)
    const problem = output.problems[0]
    const told =
      problem === undefined
        ? toldOf(
            output,
            calls.some(({ action }) => BRINGS.has(action)),
          )
        : [problemTold(output)]
    if (told.length === 0) return undefined
    const { label } = seen.call
    const failed = problem !== undefined && (seen.outcome === 'error' || output.added.size === 0)
    return {
      summary: cut(`${label}: ${told.join('; ').replace(/\s+/g, ' ')}`, SENTENCE_CHARS_MAX),
      ...(problem !== undefined
        ? { outcome: failed ? 'error' : 'partial' }
        : output.counts.some(isVulnerable)
          ? { outcome: 'partial' }
          : {}),
      ...(failed ? { failedAttempt: cut(`${label}: ${problem}`, 200) } : {}),
    }
  },
}

/** The calls that the output comes from; none where the output alone tells; undefined where it is not ours. */
function callsOf(seen: Observation): readonly PackageCall[] | undefined {
  const { intent, programs } = seen.call
  if (intent.kind === 'other') return UNMISTAKABLE.test(seen.text.slice(0, 20_000)) ? [] : undefined
  const calls = intent.kind === 'run' ? packageCalls(programs) : []
  return calls.length > 0 ? calls : undefined
}

/** `3 vulnerabilities (1 high)`, not `found 0 vulnerabilities`. */
const isVulnerable = (count: string): boolean => /^[1-9]\d{0,8} .{0,40}vulnerabilit/.test(count)

const BRINGS = new Set(['install', 'i', 'add', 'ci', 'sync', 'require', 'restore', 'get'])
const UNMISTAKABLE =
  /^(?:npm (?:error|ERR!) code E\w{1,20}|(?:added|removed|changed) \d{1,9} packages?.{0,200} in \d|Successfully installed \S+-\d|ERROR: No matching distribution found for )/m

function toldOf(output: PackageOutput, brings: boolean): string[] {
  const { added, removed, changed, present, outdated, counts } = output
  const groups = [
    ...group('Added', added),
    ...group(added.size > 0 ? 'removed' : 'Removed', removed),
    ...group(added.size + removed.size > 0 ? 'updated' : 'Updated', changed),
    ...(outdated.size > 0 ? [`${plural(outdated.size, 'package')} outdated: ${some(outdated)}`] : []),
  ]
  const stated = [...counts].sort((a, b) => Number(isVulnerable(b)) - Number(isVulnerable(a))).slice(0, 2)
  const there =
    groups.length + stated.length === 0 && present.size > 0
      ? [`${brings ? 'Nothing to add, there are ' : ''}${plural(present.size, 'package')}: ${some(present)}`]
      : []
  return [...groups, ...stated, ...there]
}

const group = (verb: string, packagesIn: ReadonlyMap<string, string>): string[] =>
  packagesIn.size > 0 ? [`${verb} ${plural(packagesIn.size, 'package')}: ${some(packagesIn)}`] : []

const some = (packagesIn: ReadonlyMap<string, string>): string =>
  firstOf(
    [...packagesIn].map(([name, version]) => `${name} ${version}`.trim()),
    NAMED_MAX,
  )

/** Why it failed, in its own words; npm names a code first. */
function problemTold({ problems }: PackageOutput): string {
  const [, code] = /^code (\w{1,40})$/.exec(problems[0] ?? '') ?? []
  const said = [...new Set(code === undefined ? problems : problems.slice(1))].slice(0, REASONS_MAX)
  const words = quoted(cut(said.join('; '), REASONS_CHARS_MAX))
  return `Failed${code === undefined ? '' : ` with ${code}`}: ${words}`
}
