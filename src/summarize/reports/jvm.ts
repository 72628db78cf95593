import { addFinding, type Finding, newFindings, reportOf } from './findings.ts'
import type { Output } from './output.ts'
import { readBracketPlace, readPlace } from './place.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

/* Maven (surefire, failsafe, compiler), Gradle, and `dotnet test`, whose totals are worded alike. */

const SUREFIRE = /Tests run: (\d{1,9}), Failures: (\d{1,9}), Errors: (\d{1,9}), Skipped: (\d{1,9})/

export const maven: Reader = {
  tool: 'maven',
  names: ['mvn', 'mvnw', 'mvnd', 'mvn test', 'junit'],
  recognises: ({ text }) =>
    SUREFIRE.test(text) ||
    /^\[(?:INFO|ERROR)\] BUILD (?:SUCCESS|FAILURE)$/m.test(text) ||
    / COMPILATION ERROR : *$/m.test(text),
  read: readMaven,
}

function readMaven({ lines, text }: Output): Report | undefined {
  const findings = newFindings()
  const perClass = { total: 0, failed: 0, errors: 0, skipped: 0 }
  const overall = { total: 0, failed: 0, errors: 0, skipped: 0 }
  let overallSeen = false
  let seen = false
  for (const line of lines) {
    const run = SUREFIRE.exec(line)
    if (run !== null) {
      seen = true
      // A class has its time on the line; the module's total has not.
      const sums = line.includes('Time elapsed') ? perClass : overall
      if (sums === overall) overallSeen = true
      sums.total += Number(run[1])
      sums.failed += Number(run[2])
      sums.errors += Number(run[3])
      sums.skipped += Number(run[4])
      continue
    }
    const finding = mavenFinding(line)
    if (finding !== undefined) addFinding(findings, finding)
  }
  if (seen) {
    const { total, failed, errors, skipped } = overallSeen ? overall : perClass
    return reportOf(
      'maven',
      'tests',
      { passed: Math.max(0, total - failed - errors - skipped), failed, errors, skipped },
      findings,
    )
  }
  if (findings.total === 0 && !text.includes('BUILD SUCCESS')) return undefined
  const { errors, warnings, total } = findings
  return reportOf('maven', 'compile', { errors, warnings, diagnostics: total }, findings)
}

function mavenFinding(line: string): Finding | undefined {
  const level = /^\[(ERROR|WARNING)\] /.exec(line)
  if (level === null) return undefined
  const said = line.slice(level[0].length)
  const severity = level[1] === 'ERROR' ? 'error' : 'warning'
  const compile = /^(\/?\S.{0,400}?\.(?:java|kt|scala|groovy)):\[(\d{1,7}),(\d{1,6})\] (.{1,400})$/.exec(said)
  if (compile !== null) {
    const [, path, row, column, message] = compile
    return { path, line: Number(row), column: Number(column), severity, message: message ?? '' }
  }
  // `[ERROR]   FooTest.bar:42 expected:<1> but was:<2>`
  const test = /^ {2}([\w$.]{1,200}?)\.([\w$]{1,200})(?::(\d{1,7}))?(?:->\S{1,200})? (.{1,400})$/.exec(said)
  if (test === null || severity !== 'error') return undefined
  return {
    path: test[1],
    ...(test[3] && { line: Number(test[3]) }),
    test: `${test[1]}.${test[2]}`,
    severity,
    message: test[4] ?? '',
  }
}

const GRADLE_TOTAL = /^(\d{1,9}) tests? completed(?:, (\d{1,9}) failed)?(?:, (\d{1,9}) skipped)?/m

export const gradle: Reader = {
  tool: 'gradle',
  names: ['gradle', 'gradlew', 'gradle test', 'gradlew test', 'gradle build', 'gradlew build'],
  recognises: ({ text }) =>
    GRADLE_TOTAL.test(text) ||
    /^BUILD (?:SUCCESSFUL|FAILED) in /m.test(text) ||
    /^FAILURE: Build (?:failed|completed)/m.test(text),
  read: ({ lines, text }) => {
    const findings = newFindings()
    const marks = { passed: 0, failed: 0, skipped: 0 }
    for (const [i, line] of lines.entries()) {
      const result = /^(\S.{0,200}? > .{1,200}?) (PASSED|FAILED|SKIPPED)$/.exec(line)
      if (result?.[2] === 'PASSED') marks.passed += 1
      if (result?.[2] === 'SKIPPED') marks.skipped += 1
      if (result?.[2] === 'FAILED') {
        marks.failed += 1
        const [reason, frame] = [
          lines[i + 1]?.trim(),
          /at (\w{1,100}\.\w{1,6}):(\d{1,7})/.exec(lines.slice(i + 1, i + 4).join(' ')),
        ]
        addFinding(findings, {
          path: frame?.[1],
          ...(frame !== null && { line: Number(frame[2]) }),
          test: result[1],
          severity: 'error',
          message: reason || 'failed',
        })
      }
      const finding = gradleCompile(line)
      if (finding !== undefined) addFinding(findings, finding)
    }
    const total = GRADLE_TOTAL.exec(text)
    if (total !== null || marks.passed + marks.failed > 0) {
      const failed = total === null ? marks.failed : Number(total[2] ?? 0)
      const skipped = total === null ? marks.skipped : Number(total[3] ?? 0)
      const passed = total === null ? marks.passed : Math.max(0, Number(total[1]) - failed - skipped)
      return reportOf('gradle', 'tests', { passed, failed, skipped }, findings)
    }
    if (findings.total === 0 && !/^BUILD |^FAILURE: /m.test(text)) return undefined
    const failed = /^FAILURE: |^BUILD FAILED/m.test(text)
    if (failed && findings.total === 0) addFinding(findings, { severity: 'error', message: wentWrong(lines) })
    return reportOf('gradle', 'compile', { errors: findings.errors, warnings: findings.warnings }, findings)
  },
}

function wentWrong(lines: readonly string[]): string {
  const at = lines.findIndex((line) => line.startsWith('* What went wrong:'))
  return at === -1 ? 'build failed' : lines.slice(at + 1, at + 3).join(' ')
}

/** kotlinc under Gradle writes `e: file:///src/x.kt:3:5 message`; javac its usual form. */
function gradleCompile(line: string): Finding | undefined {
  const kotlin = /^([ew]): (?:file:\/\/)?(\S.{0,400})$/.exec(line)
  const place = readPlace(kotlin?.[2] ?? line)
  if (kotlin === null) {
    const said = place === undefined ? null : /^ (error|warning): (.{1,400})$/.exec(place.rest)
    if (place === undefined || said === null) return undefined
    return {
      path: place.path,
      line: place.line,
      severity: said[1] === 'error' ? 'error' : 'warning',
      message: said[2] ?? '',
    }
  }
  const at = place ?? readBracketPlace((kotlin[2] ?? '').replace(': (', '('), '(')
  if (at === undefined) return undefined
  return {
    path: at.path,
    line: at.line,
    column: at.column,
    severity: kotlin[1] === 'e' ? 'error' : 'warning',
    message: at.rest,
  }
}

const VSTEST =
  /(?:Failed|Passed|Skipped)! {1,3}- Failed: {1,9}(\d{1,9}), Passed: {1,9}(\d{1,9}), Skipped: {1,9}(\d{1,9})/
const VSTEST_OLD = /^Total tests: (\d{1,9})$/m
const VSTEST_NEW =
  /^Test summary: total: (\d{1,9}), failed: (\d{1,9}), succeeded: (\d{1,9}), skipped: (\d{1,9})/m

export const dotnetTest: Reader = {
  tool: 'dotnet test',
  names: ['dotnet test', 'dotnet vstest', 'vstest.console'],
  recognises: ({ text }) =>
    VSTEST.test(text) || VSTEST_NEW.test(text) || (VSTEST_OLD.test(text) && /^ {4,5}Passed: \d/m.test(text)),
  read: ({ lines, text }) => {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    const findings = newFindings()
    let seen = false
    for (const [i, line] of lines.entries()) {
      const total = VSTEST.exec(line)
      if (total !== null) {
        seen = true
        counts.failed += Number(total[1])
        counts.passed += Number(total[2])
        counts.skipped += Number(total[3])
      }
      const test = /^ {2}Failed (\S.{0,300}?) \[[<\d. hms]{1,20}\]$/.exec(line)?.[1]
      if (test === undefined) continue
      const block = lines.slice(i + 1, i + 30)
      const at = block.findIndex((below) => below.trim() === 'Error Message:')
      const frame = /\) in (\S.{0,300}):line (\d{1,7})/.exec(block.join('\n'))
      addFinding(findings, {
        path: frame?.[1],
        ...(frame !== null && { line: Number(frame[2]) }),
        test,
        severity: 'error',
        message: block[at + 1] ?? 'failed',
      })
    }
    const fresh = VSTEST_NEW.exec(text)
    if (!seen && fresh !== null) {
      return reportOf(
        'dotnet test',
        'tests',
        { failed: Number(fresh[2]), passed: Number(fresh[3]), skipped: Number(fresh[4]) },
        findings,
      )
    }
    if (!seen && VSTEST_OLD.test(text)) {
      const of = (word: string): number =>
        Number(new RegExp(`^ {4,5}${word}: (\\d{1,9})$`, 'm').exec(text)?.[1] ?? 0)
      return reportOf(
        'dotnet test',
        'tests',
        { passed: of('Passed'), failed: of('Failed'), skipped: of('Skipped') },
        findings,
      )
    }
    return seen ? reportOf('dotnet test', 'tests', counts, findings) : undefined
  },
}
