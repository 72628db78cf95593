import { addFinding, type Finding, type LooseCounts, newFindings, reportOf } from './findings.ts'
import type { Output } from './output.ts'
import { readPlace } from './place.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

/** A test runner that ends in one line of totals. */
interface Runner {
  readonly tool: string
  readonly names: readonly string[]
  /** The totals; several such lines are summed, or the last one counts. */
  readonly totals: (line: string) => LooseCounts | undefined
  readonly last?: true
  /** Must be in the text: the quick check before lines are looked at. */
  readonly signature: string
  readonly failure?: (line: string, lines: readonly string[], at: number) => Finding | undefined
}

type Groups = Readonly<Record<string, string | undefined>>

function totals(pattern: RegExp, count: (groups: Groups) => LooseCounts): Runner['totals'] {
  return (line) => {
    const groups = pattern.exec(line)?.groups
    return groups === undefined ? undefined : count(groups)
  }
}

function num(text: string | undefined): number {
  return text === undefined ? 0 : Number(text)
}

function optional(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text)
}

/** Runners that state how many ran and how many of them went wrong. */
function ofTotal({ total, failed, errors, skipped }: Groups): LooseCounts {
  const passed = Math.max(0, num(total) - num(failed) - num(errors) - num(skipped))
  return { passed, failed: num(failed), errors: optional(errors), skipped: optional(skipped) }
}

function stated({ passed, failed, skipped, errors }: Groups): LooseCounts {
  return { passed: num(passed), failed: num(failed), errors: optional(errors), skipped: optional(skipped) }
}

const RUNNERS: readonly Runner[] = [
  {
    tool: 'sympy',
    names: ['bin/test'],
    signature: 'tests finished: ',
    totals: (line) => {
      const said = /tests finished: (.{1,200}), in [\d.]{1,12} seconds/.exec(line)?.[1]
      if (said === undefined) return undefined
      const of = (word: string): number | undefined =>
        optional(new RegExp(`(\\d{1,9}) ${word}`).exec(said)?.[1])
      return {
        passed: of('passed') ?? 0,
        failed: of('failed'),
        errors: of('exceptions'),
        skipped: of('skipped'),
      }
    },
  },
  {
    tool: 'rspec',
    names: ['rspec'],
    signature: ' example',
    totals: totals(
      /^(?<total>\d{1,9}) examples?, (?<failed>\d{1,9}) failures?(?:, (?<skipped>\d{1,9}) pending)?(?:, (?<errors>\d{1,9}) errors? occurred)?/,
      ofTotal,
    ),
    failure: (line) => {
      const said = /^rspec (\S{1,400}):(\d{1,7}) # (.{1,300})$/.exec(line)
      return said === null
        ? undefined
        : { path: said[1], line: Number(said[2]), test: said[3], severity: 'error', message: 'failed' }
    },
  },
  {
    tool: 'minitest',
    names: ['rails test', 'rake test', 'minitest'],
    signature: ' assertions, ',
    totals: totals(
      /^(?<total>\d{1,9}) (?:runs|tests), \d{1,9} assertions, (?<failed>\d{1,9}) failures, (?<errors>\d{1,9}) errors, (?:\d{1,9} pendings, )?(?:\d{1,9} omissions, )?(?:(?<skipped>\d{1,9}) skips)?/,
      ofTotal,
    ),
  },
  {
    tool: 'deno test',
    names: ['deno test'],
    signature: ' passed ',
    totals: totals(
      /^(?:ok|FAILED) \| (?<passed>\d{1,9}) passed(?: \(\d+ steps?\))? \| (?<failed>\d{1,9}) failed(?: \(\d+ steps?\))?(?: \| (?<skipped>\d{1,9}) ignored)?/,
      stated,
    ),
    failure: (line) => {
      const said = /^(\S.{0,200}?) => (\S{1,300})$/.exec(line)
      const place = said === null ? undefined : readPlace(`${said[2]}:`)
      return place === undefined
        ? undefined
        : { path: place.path, line: place.line, test: said?.[1], severity: 'error', message: 'failed' }
    },
  },
  {
    tool: 'prove',
    names: ['prove'],
    signature: 'Files=',
    totals: (line) => {
      const all = /^Files=\d{1,7}, Tests=(\d{1,9}), /.exec(line)?.[1]
      if (all !== undefined) return { passed: Number(all), failed: 0 }
      // Each failing file is listed before the total, which counts its failures too.
      const failed = / Tests: \d{1,9} Failed: (\d{1,9})\)$/.exec(line)?.[1]
      return failed === undefined ? undefined : { passed: -Number(failed), failed: Number(failed) }
    },
  },
  {
    tool: 'ginkgo',
    names: ['ginkgo'],
    signature: ' Passed | ',
    totals: totals(
      /(?:SUCCESS|FAIL)! -- (?<passed>\d{1,9}) Passed \| (?<failed>\d{1,9}) Failed \| \d{1,9} Pending \| (?<skipped>\d{1,9}) Skipped/,
      stated,
    ),
  },
  {
    tool: 'gtest',
    names: [],
    signature: '[  PASSED  ]',
    totals: (line) => {
      const said = /^\[ {2}(PASSED|FAILED|SKIPPED) {1,2}\] (\d{1,9}) tests?[.,]/.exec(line)
      if (said === null) return undefined
      if (said[1] === 'PASSED') return { passed: Number(said[2]), failed: 0 }
      return said[1] === 'FAILED' ? { failed: Number(said[2]) } : { skipped: Number(said[2]) }
    },
    failure: (line, lines, at) => {
      const test = /^\[ {2}FAILED {2}\] (\S{1,300}?)(?:, where .{1,200})? \(\d{1,9} ms\)$/.exec(line)?.[1]
      if (test === undefined) return undefined
      const said = lines
        .slice(Math.max(0, at - 30), at)
        .find((above) => /^\S.{0,300}:\d{1,7}: Failure$/.test(above))
      const place = said === undefined ? undefined : readPlace(said)
      return { path: place?.path, line: place?.line, test, severity: 'error', message: 'failed' }
    },
  },
  {
    tool: 'ctest',
    names: ['ctest'],
    signature: '% tests passed, ',
    totals: totals(
      /^\d{1,3}% tests passed, (?<failed>\d{1,9}) tests failed out of (?<total>\d{1,9})/,
      ofTotal,
    ),
    failure: (line) => {
      const test = /^\t {0,8}\d{1,6} - (\S{1,300}) \(\w/.exec(line)?.[1]
      return test === undefined ? undefined : { test, severity: 'error', message: 'failed' }
    },
  },
  {
    tool: 'ExUnit',
    names: ['mix test'],
    signature: ' test',
    totals: totals(
      /^(?:\d{1,6} doctests?, )?(?:\d{1,6} propert(?:y|ies), )?(?<total>\d{1,9}) tests?, (?<failed>\d{1,9}) failures?(?:, \d{1,9} excluded)?(?:, \d{1,9} invalid)?(?:, (?<skipped>\d{1,9}) skipped)?$/,
      ofTotal,
    ),
  },
  {
    tool: 'XCTest',
    names: ['swift test', 'xcodebuild', 'xcodebuild test'],
    signature: 'Executed ',
    last: true,
    totals: totals(
      /^\t {0,2}Executed (?<total>\d{1,9}) tests?, with (?:(?<skipped>\d{1,9}) tests? skipped and )?(?<failed>\d{1,9}) failures?/,
      ofTotal,
    ),
  },
  {
    tool: 'jasmine',
    names: ['jasmine', 'ng test', 'karma start'],
    signature: ' specs, ',
    totals: totals(
      /^(?<total>\d{1,9}) specs, (?<failed>\d{1,9}) failures?(?:, (?<skipped>\d{1,9}) pending specs?)?$/,
      ofTotal,
    ),
  },
  {
    tool: 'scalatest',
    names: ['sbt test', 'sbt'],
    signature: 'Tests: succeeded ',
    totals: totals(
      /Tests: succeeded (?<passed>\d{1,9}), failed (?<failed>\d{1,9}), canceled \d{1,9}, ignored (?<skipped>\d{1,9})/,
      stated,
    ),
  },
  {
    tool: 'dart test',
    names: ['dart test', 'flutter test'],
    signature: ': ',
    last: true,
    totals: totals(
      /^\d\d:\d\d \+(?<passed>\d{1,9})(?: ~(?<skipped>\d{1,9}))?(?: -(?<failed>\d{1,9}))?: (?:All tests passed!|Some tests failed\.)/,
      stated,
    ),
  },
]

function readWith(runner: Runner, { lines }: Output): Report | undefined {
  const sums = new Map<keyof LooseCounts, number>()
  const findings = newFindings()
  let seen = false
  for (const [i, line] of lines.entries()) {
    const found = runner.totals(line)
    if (found !== undefined) {
      seen = true
      if (runner.last) sums.clear()
      for (const key of ['passed', 'failed', 'errors', 'skipped'] as const) {
        const count = found[key]
        if (count !== undefined) sums.set(key, (sums.get(key) ?? 0) + count)
      }
    }
    const failure = runner.failure?.(line, lines, i)
    if (failure !== undefined) addFinding(findings, failure)
  }
  return seen ? reportOf(runner.tool, 'tests', Object.fromEntries(sums), findings) : undefined
}

export const testSummaries: readonly Reader[] = RUNNERS.map((runner) => ({
  tool: runner.tool,
  names: runner.names,
  recognises: ({ text, lines }) =>
    text.includes(runner.signature) && lines.some((line) => runner.totals(line) !== undefined),
  read: (output) => readWith(runner, output),
}))
