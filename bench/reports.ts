import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readReport } from '../src/summarize/reports/reports.ts'
import { attackTexts } from './attack-texts.ts'

/* Agreement of the report readers with a folder of outputs (`INDEX.csv`), their speed, and attack strings. */

const folder = process.argv[2]
const attacks = process.argv[3]
if (folder === undefined || !existsSync(join(folder, 'INDEX.csv'))) {
  console.error(
    'usage: node bench/reports.ts FOLDER [ATTACKS.jsonl]\nFOLDER holds INDEX.csv with the columns file, tool, note, counts.',
  )
  process.exit(2)
}

/** Rows of a CSV with quoted fields, as objects. */
function csvRows(text: string): Record<string, string>[] {
  const rows: string[][] = [[]]
  let field = ''
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? ''
    if (quoted) {
      if (char !== '"') field += char
      else if (text[i + 1] === '"') {
        field += '"'
        i++
      } else quoted = false
    } else if (char === '"') quoted = true
    else if (char === ',' || char === '\n') {
      rows.at(-1)?.push(field.replace(/\r$/, ''))
      field = ''
      if (char === '\n') rows.push([])
    } else field += char
  }
  const [head = [], ...body] = rows
  return body
    .filter((row) => row.length === head.length)
    .map((row) => Object.fromEntries(head.map((name, i) => [name, row[i] ?? ''])))
}

function differences(expected: Record<string, number>, actual: Record<string, number | undefined>): string[] {
  return Object.entries(expected).flatMap(([name, count]) =>
    actual[name] === count || (count === 0 && actual[name] === undefined)
      ? []
      : [`${name} ${actual[name]} ≠ ${count}`],
  )
}

import { readable } from '../src/summarize/readable.ts'

function agreement(folder: string): void {
  let stated = 0
  let right = 0
  for (const row of csvRows(readFileSync(join(folder, 'INDEX.csv'), 'utf8'))) {
    const text = readFileSync(join(folder, row['file'] ?? ''), 'utf8')
    const report = readReport(readable(text))
    if (!row['counts']) {
      if (process.env['SHOW'])
        console.log(`  (unstated) ${row['file']}: ${report?.tool} ${JSON.stringify(report?.counts)}`)
      continue
    }
    stated += 1
    const wrong = differences(JSON.parse(row['counts']), { ...report?.counts })
    if (wrong.length === 0) right += 1
    else console.log(`  ${row['file']}: ${report?.tool ?? 'not recognised'}: ${wrong.join(', ')}`)
  }
  const share = ((100 * right) / stated).toFixed(1)
  console.log(`${right} of ${stated} right (${share} %)`)
}

/** Processor time of this thread in milliseconds: other work on the machine does not count. */
function spentOn(work: () => void): number {
  const start = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / 1000
}

/** A text read, at its best of three: the first run compiles. */
function timed(text: string): number {
  const best = (work: () => void): number => Math.min(spentOn(work), spentOn(work), spentOn(work))
  return best(() => readReport(readable(text)))
}

/** A megabyte of each of the folder's outputs, repeated: the slowest of them. */
function speed(folder: string): void {
  let slowest = { file: '', ms: 0 }
  for (const row of csvRows(readFileSync(join(folder, 'INDEX.csv'), 'utf8'))) {
    const text = readFileSync(join(folder, row['file'] ?? ''), 'utf8')
    const large = `first line\n${`${text}\n`.repeat(Math.ceil(1e6 / (text.length + 1)))}`
    const ms = (timed(large) * 1e6) / large.length
    if (ms > slowest.ms) slowest = { file: row['file'] ?? '', ms }
    if (process.env['SHOW'] && ms > 50) console.log(`  ${row['file']}: ${ms.toFixed(1)} ms per MB`)
  }
  console.log(`repeated to 1 MB, slowest: ${slowest.file} ${slowest.ms.toFixed(1)} ms per MB`)
}

function withstand(path: string): void {
  let slowest = { id: '', ms: 0 }
  let count = 0
  for (const { id, text } of attackTexts(path, 300_000)) {
    if (text.length < 1_000) continue
    for (const shape of [
      text,
      `src/a.ts:1:2: ${text}`,
      `FAILED ${text}\n  at ${text}`,
      text.replace(/(.{1500})/g, '$1\n'),
    ]) {
      count += 1
      const ms = (timed(shape) * 1e6) / shape.length
      if (ms > slowest.ms) slowest = { id, ms }
    }
  }
  console.log(`${count} attack texts, slowest: ${slowest.id} ${slowest.ms.toFixed(1)} ms per MB`)
}

/** Repetitions of what the readers look for: the hardest texts for their own patterns. */
const HARD = [
  ' ',
  '\t',
  '\n',
  ':',
  '::',
  '(',
  '[',
  '](',
  'a',
  '0',
  '1.',
  './',
  '-',
  '=',
  '_',
  '| ',
  ' at ',
  'a:1:',
]
const HARDER = [
  'a.b:1:2: ',
  'FAILED x::',
  '1 passed, ',
  '--> ',
  '✖ 1 ',
  'error: ',
  '{"a":',
  '<a b="',
  '\x1b[',
  '\x1b]',
  '"',
]

function withstandOwn(): void {
  let slowest = { unit: '', ms: 0 }
  for (const unit of [...HARD, ...HARDER]) {
    const line = unit.repeat(Math.ceil(1_900 / unit.length))
    for (const text of [
      unit.repeat(Math.ceil(1e6 / unit.length)),
      `${line}\n`.repeat(500),
      `${line} in 1.00s\n  at ${line}\n`.repeat(250),
    ]) {
      const ms = (timed(text) * 1e6) / text.length
      if (ms > slowest.ms) slowest = { unit, ms }
      if (process.env['SHOW'] && ms > 50) console.log(`  ${JSON.stringify(unit)}: ${ms.toFixed(1)} ms per MB`)
    }
  }
  console.log(`own attack texts, slowest: ${JSON.stringify(slowest.unit)} ${slowest.ms.toFixed(1)} ms per MB`)
}

agreement(folder)
speed(folder)
withstandOwn()
if (attacks !== undefined) withstand(attacks)
