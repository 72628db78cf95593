import { plainPath } from '../place.ts'

/** A path and where in it: between marks a path may have spaces. */
const PLACE = /(?<=[('])[^()']{1,400}:\d{1,7}:\d{1,7}(?=[)'])|[^\s()']{1,400}:\d{1,7}:\d{1,7}/
const NUMBERS = /:\d{1,7}:\d{1,7}$/
const QUOTED = /^(?<key>\s*(?:error|message): )(?<mark>['"`])(?<words>.*)\k<mark>$/
const RESULT = /^(?<indent> {0,40})(?<mark>not ok|ok) (?<number>\d{1,9})(?: - | )(?<name>.*)$/
const SUBTEST = /^(?<indent> {0,40})# Subtest: (?<name>.*)$/
const ERROR = /^\s*(?:error|message): ?(?:[|>]-?)$/
const THROWN = /^\s*(?:at |[\w$.]{0,100}(?:Error|Exception)\b.{0,200}:)/
const FRAME = /^\s{1,40}at /
const TEST_FILE = /(?:^|[\\/])tests?[\\/]|[._-](?:test|spec)\.|(?:^|[\\/])(?:test|spec)[._-]/
const INDENT = 4

/**
 * The report of a protocol in which messages are blocks and names are nested, with the same number of lines: each message on
 * one line, each name with the groups around it, each place where the test itself failed.
 */
export function tapText(text: string): string {
  const lines = text.split('\n')
  const groups: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const subtest = SUBTEST.exec(line)?.groups
    if (subtest) {
      const depth = depthOf(subtest['indent'])
      groups.splice(depth, groups.length, subtest['name'] ?? '')
      continue
    }
    const { indent = '', mark, number, name = '' } = RESULT.exec(line)?.groups ?? {}
    if (mark !== 'not ok') continue
    const around = groups.slice(0, depthOf(indent)).filter((group) => !/\.[cm]?[jt]sx?$/.test(group))
    lines[at] = `${indent}not ok ${number} - ${[...around, name].join(' > ')}`
    const isYaml = lines[at + 1]?.trim() === '---'
    const end = endOf(lines, at + 1, isYaml, indent.length)
    if (isYaml) inYaml(lines, at + 2, end)
    else plain(lines, at + 1, end, indent)
  }
  return lines.join('\n')
}

const depthOf = (indent = ''): number => Math.floor(indent.length / INDENT)
const indentOf = (line: string): number => line.length - line.trimStart().length

function endOf(lines: readonly string[], from: number, isYaml: boolean, indent: number): number {
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (isYaml ? line.trim() === '...' : line.trim() !== '' && indentOf(line) <= indent) return at
  }
  return lines.length
}

function inYaml(lines: string[], from: number, end: number): void {
  for (let at = from; at < end; at++) {
    const line = lines[at] ?? ''
    if (ERROR.test(line)) {
      let next = at + 1
      while (next < end && (lines[next]?.trim() === '' || indentOf(lines[next] ?? '') > indentOf(line)))
        next++
      lines[at] = `${line.slice(0, indentOf(line))}error: ${taken(lines, at + 1, next)}`
    } else lines[at] = line.replace(QUOTED, '$<key>$<words>')
    // Where a test is declared says less than where it failed.
    const declared = /^\s*location:/.test(line) ? PLACE.exec(line)?.[0].replace(NUMBERS, '') : undefined
    const below = declared === undefined ? [] : lines.slice(at + 1, end)
    const place = below
      .map((one) => plainPath(PLACE.exec(one)?.[0] ?? ''))
      .find((one) => one.replace(NUMBERS, '') === declared)
    if (place) lines[at] = `${line.slice(0, indentOf(line))}location: '${place}'`
  }
}

/** A message, the same with the error's name, and the frames of its stack. */
function plain(lines: string[], from: number, end: number, indent: string): void {
  const stack = lines.slice(from, end)
  const thrown = stack.findIndex((line) => THROWN.test(line))
  if (thrown < 1) return
  const frames = stack.filter((line) => FRAME.test(line)).map((line) => PLACE.exec(line)?.[0])
  const place = frames.find((one) => one && TEST_FILE.test(one)) ?? frames.find(Boolean)
  const message = taken(lines, from, from + thrown)
  lines[from] = `${indent}  error: ${message}`
  if (place && !FRAME.test(lines[from + thrown] ?? ''))
    lines[from + thrown] = `${indent}  location: '${place}'`
}

/** What stands on some lines, as one; they are empty then. */
function taken(lines: string[], from: number, to: number): string {
  const words = lines.slice(from, to).map((line) => line.trim())
  lines.fill('', from, to)
  return words.filter((part) => part !== '').join(' ')
}
