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
    (/ (?:passed|failed|errors?)/.test(text) && lines.some((line) => summaryOf(line) !== undefined)),
  read,
}

type Tally = Map<string, number>

const WORDS: Readonly<Record<string, string>> = {
  error: 'errors',
  warning: 'warnings',
  '.': 'passed',
  F: 'failed',
  E: 'errors',
  s: 'skipped',
}
const PART =
  /^(\d{1,9}) (passed|failed|errors?|skipped|warnings?|deselected|xfailed|xpassed|reruns?|subtests passed|subtests failed)$/

/** `=== 2 failed, 3 passed in 0.12s ===`, with or without the bars; every part must be known. */
function summaryOf(line: string): Tally | undefined {
  const end = line.indexOf(' in ')
  if (end === -1 || end > 300 || !/^\d{1,6}\.\d\d/.test(line.slice(end + 4, end + 12))) return undefined
  const stated = line.slice(0, end).replaceAll('=', '').trim()
  if (stated === 'no tests ran') return new Map([['passed', 0]])
  const parts = stated.split(', ').map((part) => PART.exec(part))
  if (parts.includes(null)) return undefined
  return new Map(parts.map((part) => [WORDS[part?.[2] ?? ''] ?? part?.[2] ?? '', Number(part?.[1])]))
}

function read({ lines, text }: Output): Report | undefined {
  const summaries = lines.flatMap((line) => summaryOf(line) ?? [])
  const tally: Tally = new Map()
  for (const [word, count] of summaries.flatMap((summary) => [...summary]))
    tally.set(word, (tally.get(word) ?? 0) + count)
  const stated = summaries.length > 0
  const counted = stated ? tally : progressIn(lines)
  const findings = failures(lines)
  if (counted.size === 0 && findings.total === 0 && !text.includes('= test session starts ='))
    return undefined
  const [passed, errors, skipped, warnings] = ['passed', 'errors', 'skipped', 'warnings'].map((word) =>
    counted.get(word),
  )
  const failed = counted.get('failed') ?? (stated ? 0 : undefined)
  return reportOf('pytest', 'tests', { passed, failed, errors, skipped, warnings }, findings)
}

const VERBOSE = /^([^\s:]{1,300})::(.{1,300}?) (PASSED|FAILED|ERROR|SKIPPED)\b/

/** Without its last line the run is counted from `test_x.py ..F [ 50%]` and `x::y PASSED`. */
function progressIn(lines: readonly string[]): Tally {
  const tally: Tally = new Map()
  for (const line of lines) {
    const word = line.includes('::') ? VERBOSE.exec(line)?.[3]?.toLowerCase() : undefined
    const dots = line.includes('.py ')
      ? /^\S{1,300}\.py ([.FEsxX]{1,200}) {0,200}(?:\[ {0,2}\d{1,3}%\])?$/.exec(line)?.[1]
      : undefined
    for (const mark of word === undefined ? (dots ?? '') : [word]) {
      const outcome = WORDS[mark] ?? (mark.length > 1 ? mark : undefined)
      if (outcome !== undefined) tally.set(outcome, (tally.get(outcome) ?? 0) + 1)
    }
  }
  return tally
}

interface Section {
  readonly places: { readonly path: string; readonly line: number }[]
  message?: string
}

/** The failing tests of the short summary, or of the sections, or of the verbose lines where the output was cut. */
function failures(lines: readonly string[]): Findings {
  const sections = sectionsIn(lines)
  const findings = newFindings()
  const add = (
    path: string | undefined,
    test: string | undefined,
    section: Section | undefined,
    words: string,
  ) =>
    addFinding(findings, {
      ...placeIn(section, path),
      test,
      severity: 'error',
      message: section?.message ?? words,
    })
  for (const line of lines) {
    const id = /^(?:FAILED|ERROR) (\S.{0,600}?)(?: - (.{0,600}))?$/.exec(line)
    if (id === null || !/\.pyi?(?:::|$)|::/.test(id[1] ?? '')) continue
    const [path = '', ...names] = (id[1] ?? '').split('::')
    const name = names.length > 0 ? names.join('::') : undefined
    add(path, name, sections.get(names.join('.')) ?? sections.get(path), id[2] ?? line)
  }
  if (findings.total === 0) for (const [name, section] of sections) add(undefined, name, section, 'failed')
  if (findings.total === 0)
    for (const line of lines) {
      const failed = line.includes('::') ? VERBOSE.exec(line) : null
      if (failed?.[3] === 'FAILED' || failed?.[3] === 'ERROR') add(failed[1], failed[2], undefined, 'failed')
    }
  return findings
}

/** The place in the test's own file: the rest is what it called, or what called it. */
function placeIn(section: Section | undefined, path?: string) {
  const own = section?.places.find((place) =>
    path === undefined ? !/site-packages|lib[\\/]python/.test(place.path) : place.path.endsWith(path),
  )
  return own ?? { path: path ?? section?.places[0]?.path, line: undefined }
}

const PLACES_MAX = 40
/** `--tb=native` has Python's own form, without the `E`. */
const NATIVE_ERROR = /^[A-Za-z_][\w.]{0,200}(?:Error|Exception|Failed|Exit)(?:: |$)/
const HEAD = /^_{2,}(?: _)* (?:ERROR (?:collecting|at (?:setup|teardown) of) )?(\S.{0,300}?) (?:_ )*_{2,}$/

/** What stands under each `____ name ____`: its first `E` line, and each `path:line:` or `File "path", line n`. */
function sectionsIn(lines: readonly string[]): Map<string, Section> {
  const sections = new Map<string, Section>()
  let section: Section | undefined
  for (const line of lines) {
    const name = line.startsWith('__') ? HEAD.exec(line)?.[1] : undefined
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

function sectionPlace(line: string): Section['places'][number] | undefined {
  const native = /^ {2}File "([^"]{1,400})", line (\d{1,9})/.exec(line)
  if (native?.[1] !== undefined) return { path: native[1], line: Number(native[2]) }
  const place = line.includes('.py:') && line[0] !== ' ' ? readPlace(line) : undefined
  const ends = /^ ?(?:in |\w*(?:Error|Exception|Failed|Exit|Warning)|$)/.test(place?.rest ?? 'x')
  return place !== undefined && ends ? { path: place.path, line: place.line } : undefined
}
