import { looksLikePath } from '../place.ts'
import { type Count, countsIn } from './counts.ts'
import { atPlace, COLUMN, PATH } from './diagnostics.ts'
import type { Output } from './output.ts'
import { reportOf, type ToolReport } from './report.ts'
import { findingsIn, type ReportRow } from './row.ts'

const NOT_SOURCE = String.raw`(?!.{0,400}\.(?:log|json|csv|com|net|org|io|lock):)`
const NO_CODE = String.raw`(?!.{0,600}[{;,=]$)(?!.{0,600}(?:=>|\)\s?;| [:=]= | = ))(?!\s?(?:import|from|return|const|let|var|def|class|if|for|while|func|fn|public|private|export|package|use|#include)\b)`
const prose = (rest: string, column?: string) =>
  atPlace(String.raw`(?= ?\[?["'\x60A-Za-z])(?=.[^ ]{0,300} )${NO_CODE}${rest}`, NOT_SOURCE + PATH, column)

/**
 * `path:line:column: message` of a tool that nobody has described yet. Search results, logs and stack traces look
 * alike; so the lines must read as prose.
 */
export const anyLinter: ReportRow = {
  tool: 'linter',
  kind: 'lint',
  finding: [
    prose(
      String.raw` ?\[?(?<severity>[Ee]rror|ERROR|[Ww]arning|WARNING|[Ii]nfo|INFO|[Nn]ote|[Hh]int|[EWCR])\]?(?:: | - | )(?:\[?(?<code>[A-Z]{1,5}-?\d{2,5})\]?:? )?(?<message>.{1,500})$`,
    ),
    prose(String.raw` ?\[?(?<code>[A-Z]{1,5}-?\d{2,5})\]?:? (?<message>.{1,500})$`),
    prose(' ?(?<message>.{1,600})$'),
  ],
}

const ANY_PLACE = atPlace('')
/** A search result follows its colon at once; a message has one space. Or it ends in a rule. */
const SURE = [
  prose(String.raw` \S`, COLUMN),
  prose(String.raw`[A-Z].{10,400}\.$`, COLUMN),
  prose(String.raw` \[[A-Z]{1,5}-?\d{0,5}\] `),
  prose(String.raw` .{1,500} [[(][a-z][\w@./-]{2,60}[\])]$`),
]

/** Whether most places of an output are such a tool's, with a column or a rule. */
export function isAnyLinter(lines: readonly string[]): boolean {
  const places = lines.filter((line) => looksLikePath(ANY_PLACE.exec(line)?.groups?.['path'] ?? ''))
  return places.filter((line) => SURE.some((pattern) => pattern.test(line))).length * 2 > places.length
}

/** What only a line of totals has: a count of tests that failed or passed, and nothing like prose around it. */
const TOTALS =
  /^(?:[\s[\]=|#ℹ✔✖-]{0,12}|\[\w{3,7}\] |\w{4,7}!\s{1,4}- |\w{1,12} \| |Results?: |Tests? ?(?:run|finished)?:? |.{0,30}tests? finished: |.{0,60}\bExecuted |.{0,40}! -- |\d{1,3}% )?(?:(?:\w{2,11}(?: run)?[:=]? {1,9}\d{1,9}|\d{1,9} (?:tests? |specs? )?[a-z]{2,11}(?: \([^)]{1,30}\))?)(?:, |; |\. | \| | out of |, with |, in |\s*$|\.$)){1,8}/i

/** A test runner that nobody has described: its `totals` are read by `readAnyRunner`. */
const anyRunner: ReportRow = {
  tool: 'tests',
  kind: 'tests',
  totals: TOTALS,
  finding: [
    /^\s{0,4}(?:\d{1,4}\) (?=\S.{2})|rspec \S{1,300} # )(?<test>.{1,200})$/,
    /^\s{0,4}(?:\[ERROR\] {2,4}(?<place>\w[\w.]{2,200}:\d{1,7}).{0,200}|(?<test>\S.{2,200}) FAILED)$/,
    /^\s{0,4}Failed (?<test>\S{3,200}) \[.{1,20}\]$/,
  ],
}

const TOTALS_CHARS_MAX = 240

/** A test runner that nobody has described: the last line in which it counts what passed and failed. */
export function readAnyRunner({ lines, text }: Output): ToolReport | undefined {
  if (!/pass|fail|succe/i.test(text)) return undefined
  const counts = lines.findLast((line) => totalsOf(line) !== undefined)
  return counts === undefined
    ? undefined
    : reportOf('tests', 'tests', findingsIn(anyRunner, lines), totalsOf(counts))
}

/** Undefined unless the line counts failures, and tests or what passed. */
function totalsOf(line: string): ReadonlyMap<Count, number> | undefined {
  if (line.length > TOTALS_CHARS_MAX || !/\d/.test(line) || !/pass|fail|succe/i.test(line)) return undefined
  if (!anyRunner.totals?.test(line)) return undefined
  // The first of a kind counts: what stands behind it is a part of it.
  const counts = new Map(countsIn(line, 2).reverse())
  // A line that says nothing but that tests failed.
  if (/^\W{0,12}\d{1,9} (?:tests? |specs? )?fail(?:ed|ures?|ing)\W{0,12}$/i.test(line)) return counts
  const isSure =
    counts.has('failed') || (counts.has('passed') && (counts.size > 1 || /\btests?\b/.test(line)))
  return isSure && (counts.has('passed') || counts.has('total')) ? counts : undefined
}
