import { type NumberedLine, notes } from '../../packet/notes.ts'
import { cut } from '../../text/cut.ts'
import { breakLong, firstOf, pickLines, plural, quoted, unnumbered } from '../../text/lines.ts'
import { intentOf } from '../call/intent.ts'
import { labelOf } from '../call/label.ts'
import { NOTES_CHARS_MAX } from '../generic.ts'
import type { Observation, Summarizer } from '../summarizer.ts'
import { lookAt } from '../within.ts'
import { type PackageCall, packageCalls } from './command.ts'
import { type PackageOutput, readPackageOutput } from './output.ts'

const SENTENCE_CHARS_MAX = 240
const NAMED_MAX = 5
const REASONS_MAX = 3
const REASONS_CHARS_MAX = 180

/** A package manager dealt with dependencies: what came, went and is there, or what failed and why. */
export const packages: Summarizer = {
  name: 'packages',
  summarize(seen) {
    const calls = callsOf(seen)
    if (calls === undefined) return undefined
    const output = readPackageOutput(lookAt(seen.text).lines)
    const problem = output.problems[0]
    const told =
      problem === undefined
        ? toldOf(
            output,
            calls.some(({ action }) => BRINGS.has(action)),
          )
        : [problemTold(output)]
    if (told.length === 0) return undefined
    const label = labelOf(seen.tool, seen.args)
    const failed = problem !== undefined && (seen.outcome === 'error' || output.added.size === 0)
    return {
      summary: cut(`${capital(told.join('; ').replace(/\s+/g, ' '))} from ${label}`, SENTENCE_CHARS_MAX),
      ...(problem !== undefined
        ? { outcome: failed ? 'error' : 'partial' }
        : output.counts.some(isVulnerable)
          ? { outcome: 'partial' }
          : {}),
      knowledge: { [label]: notes(output.counts.join('; '), pickLines(linesOf(output), NOTES_CHARS_MAX)) },
      ...(failed ? { failedAttempt: cut(`${label}: ${problem}`, 200) } : {}),
    }
  },
}

/** The calls that the output comes from; none where the output alone tells; undefined where it is not ours. */
function callsOf(seen: Observation): readonly PackageCall[] | undefined {
  const intent = intentOf(seen.args)
  if (intent.kind === 'other') return UNMISTAKABLE.test(seen.text.slice(0, 20_000)) ? [] : undefined
  const calls = intent.kind === 'run' ? packageCalls(intent.command) : []
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

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

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

/** Problems first, then what changed, then what is there, then lines of another kind. */
function linesOf({
  problems,
  added,
  removed,
  changed,
  outdated,
  present,
  rest,
}: PackageOutput): NumberedLine[] {
  const each = (word: string, packagesIn: ReadonlyMap<string, string>) =>
    [...packagesIn].map(([name, version]) => `${word}${name} ${version}`.trim())
  return unnumbered([
    ...problems,
    ...each('added ', added),
    ...each('removed ', removed),
    ...each('updated ', changed),
    ...each('outdated ', outdated),
    ...breakLong(rest),
    ...each('', present),
  ])
}
