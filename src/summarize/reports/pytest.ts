import { addFinding, type Findings, newFindings, reportOf } from './findings.ts'
import type { Output } from './output.ts'
import { readPlace } from './place.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

export const pytest: Reader = {
  tool: 'pytest',
  names: ['pytest', 'py.test', 'tox', 'nox'],
  recognises: ({ text, lines }) =>
    text.includes('= test session starts =') ||
    text.includes('= short test summary info =') ||
    ((text.includes(' passed') || text.includes(' failed') || text.includes(' error')) &&
      lines.some((line) => summaryOf(line) !== undefined)),
  read,
}

const OUTCOMES = new Map([
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['error', 'errors'],
  ['errors', 'errors'],
  ['skipped', 'skipped'],
  ['warning', 'warnings'],
  ['warnings', 'warnings'],
  ...['deselected', 'xfailed', 'xpassed', 'rerun', 'reruns', 'subtests passed', 'subtests failed'].map(
    (word): [string, string] => [word, ''],
  ),
] as const)

type Tally = Map<string, number>

/** `=== 2 failed, 3 passed in 0.12s ===`, with or without the bars; every part must be known. */
function summaryOf(line: string): Tally | undefined {
  const end = line.indexOf(' in ')
  if (end === -1 || end > 300) return undefined
  const after = line.slice(end + 4, end + 12)
  if (!/^\d{1,6}\.\d\d/.test(after)) return undefined
  const stated = line.slice(0, end).replaceAll('=', '').trim()
  const tally: Tally = new Map()
  if (stated === 'no tests ran') return tally.set('passed', 0)
  for (const part of stated.split(', ')) {
    const space = part.indexOf(' ')
    const outcome = OUTCOMES.get(part.slice(space + 1))
    if (space === -1 || outcome === undefined || !/^\d{1,9}$/.test(part.slice(0, space))) return undefined
    if (outcome !== '') tally.set(outcome, Number(part.slice(0, space)))
  }
  return tally
}

function read(output: Output): Report | undefined {
  const tally: Tally = new Map()
  let summaries = 0
  for (const line of output.lines) {
    const summary = summaryOf(line)
    if (summary === undefined) continue
    summaries += 1
    for (const [outcome, count] of summary) tally.set(outcome, (tally.get(outcome) ?? 0) + count)
  }
  const counted = summaries > 0 ? tally : progressTally(output.lines)
  const findings = failures(output.lines)
  if (counted.size === 0 && findings.total === 0 && !output.text.includes('= test session starts =')) {
    return undefined
  }
  const counts = {
    passed: counted.get('passed'),
    failed: counted.get('failed') ?? (summaries > 0 ? 0 : undefined),
    errors: counted.get('errors'),
    skipped: counted.get('skipped'),
    warnings: counted.get('warnings'),
  }
  return reportOf('pytest', 'tests', counts, findings)
}

const PROGRESS = new Map([
  ['.', 'passed'],
  ['F', 'failed'],
  ['E', 'errors'],
  ['s', 'skipped'],
])

/** Without its last line the run is counted from `test_x.py ..F [ 50%]` and `x::y PASSED`. */
function progressTally(lines: readonly string[]): Tally {
  const tally: Tally = new Map()
  const add = (outcome: string): void => void tally.set(outcome, (tally.get(outcome) ?? 0) + 1)
  for (const line of lines) {
    const colons = line.indexOf('::')
    const verbose = colons > 0 ? / (PASSED|FAILED|ERROR|SKIPPED)\b/.exec(line) : null
    if (verbose !== null && colons < verbose.index && line.indexOf(' ') > colons) {
      add(verbose[1] === 'ERROR' ? 'errors' : (verbose[1] ?? '').toLowerCase())
    }
    if (!line.includes('.py ')) continue
    const dots = /^\S{1,300}\.py ([.FEsxX]{1,200}) {0,200}(?:\[ {0,2}\d{1,3}%\])?$/.exec(line)?.[1]
    for (const mark of dots ?? '') {
      const outcome = PROGRESS.get(mark)
      if (outcome !== undefined) add(outcome)
    }
  }
  return tally
}

interface Section {
  readonly places: { readonly path: string; readonly line: number }[]
  message?: string
}

function failures(lines: readonly string[]): Findings {
  const sections = failureSections(lines)
  const findings = newFindings()
  for (const line of lines) {
    if (!line.startsWith('FAILED ') && !line.startsWith('ERROR ')) continue
    const [id, said] = splitOnce(line.slice(line.indexOf(' ') + 1), ' - ')
    if (!/\.pyi?(::|$)|::/.test(id)) continue
    const [path, name] = splitOnce(id, '::')
    const section = sections.get(name?.replaceAll('::', '.') ?? '') ?? sections.get(path)
    const message = section?.message ?? said ?? line
    addFinding(findings, { ...placeIn(section, path), test: name, severity: 'error', message })
  }
  if (findings.total === 0) {
    for (const [name, section] of sections) {
      addFinding(findings, {
        ...placeIn(section),
        test: name,
        severity: 'error',
        message: section.message ?? 'failed',
      })
    }
  }
  return findings.total > 0 ? findings : verboseFailures(lines)
}

/** The place in the test's own file: the rest is what it called, or what called it. */
function placeIn(section: Section | undefined, path?: string) {
  const own = section?.places.find((place) =>
    path === undefined ? !/site-packages|lib[\\/]python/.test(place.path) : place.path.endsWith(path),
  )
  return own ?? { path: path ?? section?.places[0]?.path, line: undefined }
}

/** `x.py::test FAILED [ 50%]`: all there is when the output was cut. */
function verboseFailures(lines: readonly string[]): Findings {
  const findings = newFindings()
  for (const line of lines) {
    if (!line.includes('::')) continue
    const at = line.search(/ (?:FAILED|ERROR)\b/)
    const [path, test] = splitOnce(line.slice(0, Math.max(0, at)), '::')
    if (test !== undefined && !path.includes(' ')) {
      addFinding(findings, { path, test, severity: 'error', message: 'failed' })
    }
  }
  return findings
}

const PLACES_MAX = 40

/** What stands under each `____ name ____`: its first `E` line, and each `path:line:` or `File "path", line n`. */
function failureSections(lines: readonly string[]): Map<string, Section> {
  const sections = new Map<string, Section>()
  let section: Section | undefined
  for (const line of lines) {
    const name = sectionName(line)
    if (name !== undefined) {
      section = { places: [] }
      sections.set(name, section)
    } else if (line.startsWith('=====')) section = undefined
    if (section === undefined) continue
    if (line.startsWith('E  ') || NATIVE_ERROR.test(line)) section.message ??= line.replace(/^E /, '').trim()
    const place = section.places.length < PLACES_MAX ? sectionPlace(line) : undefined
    if (place !== undefined) section.places.push(place)
  }
  return sections
}

/** `--tb=native` has Python's own form, without the `E`. */
const NATIVE_ERROR = /^[A-Za-z_][\w.]{0,200}(?:Error|Exception|Failed|Exit)(?:: |$)/

function sectionPlace(line: string): Section['places'][number] | undefined {
  const native = /^ {2}File "([^"]{1,400})", line (\d{1,9})/.exec(line)
  if (native?.[1] !== undefined) return { path: native[1], line: Number(native[2]) }
  const place = line.includes('.py:') && line[0] !== ' ' ? readPlace(line) : undefined
  if (place === undefined || !/^ ?(in |\w*(Error|Exception|Failed|Exit|Warning)|$)/.test(place.rest))
    return undefined
  return { path: place.path, line: place.line }
}

function sectionName(line: string): string | undefined {
  if (!line.startsWith('__') || !line.endsWith('__')) return undefined
  const words = line
    .replaceAll('_ ', ' ')
    .split(' ')
    .filter((word) => word.replaceAll('_', '') !== '')
  const name = words.join(' ')
  const collecting = /^ERROR (?:collecting|at (?:setup|teardown) of) (.{1,300})$/.exec(name)?.[1]
  return name === '' || !line.includes(' ') ? undefined : (collecting ?? name)
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator)
  return at === -1 ? [text.trim()] : [text.slice(0, at).trim(), text.slice(at + separator.length)]
}
