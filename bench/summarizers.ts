/**
 * Does any text make a summarizer run away? `node bench/summarizers.ts [ATTACKS.jsonl]` times each on repetitions of what
 * it looks for, on texts of up to a million lines, on pages and tables, on large structured outputs and arguments, and on
 * a file of attack strings. It ends with 1 when one takes more than its bound.
 */
import type { Json } from '../src/core/event/json.ts'
import { builtInSummarizers } from '../src/summarize/built-in.ts'
import { genericSummarizer } from '../src/summarize/generic.ts'
import { observe } from '../src/summarize/observe.ts'
import { personReply } from '../src/summarize/person-reply.ts'
import type { Observation, Summarizer } from '../src/summarize/summarizer.ts'
import { attackTexts } from './attack-texts.ts'

const MS_PER_MB_MAX = 50
const TEXT_CHARS = 1_000_000
const FEW_CHARS = 500_000
const ROUNDS = 3
const RUNS = 3

interface Case {
  readonly name: string
  readonly chars: number
  readonly seen: Observation
  /** The text has been seen with another call. */
  readonly oneOfMany: boolean
}

const CALLS: readonly Json[] = [
  { path: 'src/a.ts' },
  { pattern: 'x' },
  { pattern: 'x', path: 'src/a.ts' },
  { command: 'ls -l' },
  { command: 'pytest -q' },
  { command: 'git status --short; git log --name-only; git diff' },
  { command: 'npm install' },
  { command: 'eslint . && tsc' },
  { command: 'curl -i https://example.org/a' },
  { command: 'psql -c "select 1"' },
  { url: 'https://example.org/a' },
  { path: 'src/a.ts', old_string: 'a', new_string: 'b' },
  {},
]
/** Arguments can be as long as outputs. */
const LONG_CALLS: readonly ((text: string) => Json)[] = [
  (text) => ({ path: 'src/a.ts', content: text }),
  (text) => ({ path: 'src/a.ts', old_string: text, new_string: text }),
  (text) => ({ command: text }),
  (text) => ({ code: text }),
  (text) => text,
]
const WORDS = [' ', '\t', ':', 'a', '0', './', '-', '"', '…', '\r', '\x1b', 'a_b ', '1 x ', 'é']
const PHRASES = [
  'a:1:',
  'a/b.c:1:2: ',
  '{"a":',
  '\x1b[',
  '\x1b]',
  'x at ',
  '1 passed, ',
  '](',
  '<a b="',
  '{}',
]
const LINES = ['', 'a', '1', ' ', '\r', '/', 'é', '{}', 'ok', 'F', '1\ta', '1:x', 'a.b:1', 'a/b.c', '\x1b[0m']
const LONGER_LINES = [
  ' M x',
  '--- a\n+++ b',
  'ok 1',
  'a.b:1:x',
  'a.b:1:2: error x',
  '  at f (a.js:1:2)',
  '{"a":1}',
  '  File "a", line 1',
]
/** Forms that begin with a head of their own. */
const HEADED: readonly (readonly [string, string])[] = [
  ['<!doctype html><html>', '<p>a</p>'],
  ['<!doctype html><html>', '<a href="/b?c=1&amp;d=2">e &amp; f</a> '],
  ['<html><table>', '<tr><td>1<td><b>2</b>\n'],
  ['HTTP/1.1 200 OK\ncontent-type: text/plain\n\n', 'a b\n'],
  ['# A\n\n', '- [b](c) d\n'],
  ["[1] link 'a'\n", "[2] button 'b'\n"],
  ['| a | b |\n|---|---|\n', '| 1 | 2 |\n'],
  ['a|b\n-+-\n', '|\n'],
  ['id,name\n', '1,"a"\n'],
  ['id\tname\n', '1\ta\n'],
  ['{"a":1}\n', '{"a":[1,{"b":2}]}\n'],
  ['diff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1,9999999 +1,9999999 @@\n', '+a\n-b\n'],
  ['', 'diff --git a/b b/b\n'],
  ['On branch main\nUntracked files:\n', '\ta\n'],
  ['', 'commit 0123456789012345678901234567890123456789\n'],
  ['added 9 packages in 1s\n', '+ a@1.0.0\n'],
]
const OUTPUTS: Readonly<Record<string, (at: number) => Json>> = {
  numbers: () => 1,
  lists: () => [],
  texts: () => '',
  records: (at) => ({ id: at, path: 'src/a.ts', line: at, message: 'unused x', ok: true }),
  'nested records': (at) => ({ id: at, in: { a: [{ b: at, c: 'd'.repeat(60) }], e: 'f'.repeat(90) } }),
}

function textCases(attacks: string | undefined): Case[] {
  const texts = new Map<string, string>()
  for (const unit of [...WORDS, ...PHRASES]) {
    const name = JSON.stringify(unit)
    texts.set(`${name} on one line`, unit.repeat(Math.ceil(TEXT_CHARS / unit.length)))
    texts.set(
      `${name} on lines of 2,000`,
      `${unit.repeat(Math.ceil(2_000 / unit.length))}\n`.repeat(TEXT_CHARS / 2_000),
    )
  }
  for (const line of [...LINES, ...LONGER_LINES]) {
    for (const chars of [FEW_CHARS, TEXT_CHARS]) {
      const count = Math.ceil(chars / (line.length + 1))
      texts.set(
        `${count.toLocaleString('en-US')} lines of ${JSON.stringify(line)}`,
        `${line}\n`.repeat(count),
      )
    }
  }
  const strings = attacks === undefined ? [] : attackTexts(attacks, 20_000)
  for (let at = 0; at < strings.length; at += 50) {
    const part = strings.slice(at, at + 50).map(({ text }) => text)
    texts.set(`attack strings from ${at}`, part.join('\n'))
    texts.set(`attack strings from ${at}, placed`, part.map((text) => `src/a.ts:1:2: ${text}`).join('\n'))
  }
  // The first line is another one: an output that is the same text twice would be read once.
  const uneven = [...texts].map(([name, text]) => [name, `first\n${text}`] as const)
  const headed = HEADED.map(
    ([head, unit]) =>
      [
        `${JSON.stringify(unit)} after ${JSON.stringify(head)}`,
        head + unit.repeat(TEXT_CHARS / unit.length),
      ] as const,
  )
  return [...uneven, ...headed].flatMap(([name, text]) => [
    ...CALLS.map((args, at) =>
      caseOf(`${name}, ${JSON.stringify(args)}`, text.length, { args, text }, at > 0),
    ),
    ...LONG_CALLS.map((call, at) =>
      caseOf(`${name} as the argument`, text.length, { args: call(text), text: 'done' }, at > 0),
    ),
  ])
}

/** Lists of a megabyte, alone and under the names that the tools' own summarizers look for. */
function outputCases(): Case[] {
  return Object.entries(OUTPUTS).flatMap(([name, item]) => {
    const count = Math.ceil(TEXT_CHARS / (JSON.stringify(item(1e5)).length + 1))
    const list = Array.from({ length: count }, (_, at) => item(at))
    const fields = Object.fromEntries(list.map((value, at) => [`field${at}`, value]))
    const long = 'x '.repeat(TEXT_CHARS / 2)
    const outputs: Readonly<Record<string, Json>> = {
      list,
      fields,
      'nested fields': { data: { fields } },
      errors: { errors: list, fixable: 1 },
      failures: { passed: 1, failed: list, failures: list },
      message: { message: long, knowledge_delta: { list } },
      answer: { message: 'done', list },
    }
    return Object.entries(outputs).flatMap(([shape, output]) => {
      const text = JSON.stringify(output)
      const label = `${name} as ${shape}`
      return [
        caseOf(`${label}, structured`, text.length, { args: {}, text, output }),
        caseOf(`${label}, as text`, text.length, { args: { command: 'curl x' }, text }),
      ]
    })
  })
}

function caseOf(
  name: string,
  chars: number,
  seen: Pick<Observation, 'args' | 'text' | 'output'>,
  oneOfMany = false,
): Case {
  const rest = { tool: 'shell', outcome: 'success', turn: 1, packet: undefined } as const
  return { name, chars, seen: observe({ ...rest, ...seen }), oneOfMany }
}

/**
 * By the clock; where that looks slow, by processor time in the least disturbed of several rounds: the machine does other
 * work too.
 */
function msPerMb(summarizer: Summarizer, { seen, chars }: Case): number {
  const inMb = (ms: number): number => (ms * 1e6) / chars
  const begun = performance.now()
  summarizer.summarize(seen)
  let ms = inMb(performance.now() - begun)
  for (let round = 0; round < ROUNDS && ms > MS_PER_MB_MAX * 0.8; round++) {
    const before = process.threadCpuUsage()
    for (let run = 0; run < RUNS; run++) summarizer.summarize(seen)
    const { user, system } = process.threadCpuUsage(before)
    ms = Math.min(ms, inMb((user + system) / 1000 / RUNS))
  }
  return ms
}

/** These answer whatever the call was: one call of each text shows their time. */
const ANY_CALL = new Set([personReply, genericSummarizer])

const cases = [...textCases(process.argv[2]), ...outputCases()]
console.log(`${cases.length} cases each; at most ${MS_PER_MB_MAX} ms per MB`)
for (const summarizer of new Set([...builtInSummarizers, personReply, genericSummarizer])) {
  const begun = performance.now()
  let slowest = { ms: 0, name: '' }
  let over = 0
  const asked = ANY_CALL.has(summarizer) ? cases.filter(({ oneOfMany }) => !oneOfMany) : cases
  for (const [at, each] of asked.entries()) {
    const ms = msPerMb(summarizer, each)
    if (ms > slowest.ms) slowest = { ms, name: each.name }
    if (ms > MS_PER_MB_MAX) {
      over++
      if (process.env['SHOW']) console.log(`  ${ms.toFixed(1)} ms per MB: ${each.name}`)
    }
    if (process.stderr.isTTY && at % 50 === 0)
      process.stderr.write(`\r${summarizer.name} ${at} of ${asked.length} `)
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  if (over > 0) process.exitCode = 1
  const verdict = over === 0 ? 'PASS' : `OVER in ${over}`
  const seconds = ((performance.now() - begun) / 1000).toFixed(0)
  console.log(
    `${verdict} ${summarizer.name.padEnd(12)} slowest ${slowest.ms.toFixed(1)} ms per MB: ${slowest.name} (${seconds} s)`,
  )
}
