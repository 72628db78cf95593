/**
 * Does any text make a summarizer run away? `node bench/summarizers.ts [ATTACKS.jsonl]` times each on repetitions of what
 * it looks for, and on a file of attack strings (`{"attack_js"}` with `'a'.repeat(i*10000)` parts), per MB.
 */
import { readFileSync } from 'node:fs'
import type { Json } from '../src/event/json.ts'
import { builtInSummarizers } from '../src/summarize/built-in.ts'
import { genericSummarizer } from '../src/summarize/generic.ts'

const CALLS: readonly Json[] = [
  { path: 'src/a.ts' },
  { pattern: 'x' },
  { command: 'ls -l' },
  { command: 'pytest -q' },
  { command: 'git status --short; git log --name-only; git diff' },
  { command: 'npm install' },
  { path: 'src/a.ts', old_string: 'a', new_string: 'b' },
  {},
]
const UNITS = [
  ' ',
  '\t',
  '\n',
  ':',
  'a',
  '0',
  './',
  '-',
  'a:1:',
  'a/b.c:1:2: ',
  '{"a":',
  '"',
  '\x1b[',
  '\x1b]',
  '\r',
  'a_b ',
  '1 x\n',
  ' M x\n',
  '--- a\n+++ b\n',
  '…',
]
const TEXT_CHARS = 1_000_000
const TRIES = 2

/** Only the shape `'…' + '…'.repeat(i*N) + '…'` is read; nothing is evaluated. */
function attackText(source: string): string {
  let text = ''
  for (const [, part = '', repeated] of source.matchAll(/'((?:[^'\\]|\\.)*)'(\.repeat\([^)]*\))?/g))
    text += repeated === undefined ? part : part.repeat(Math.ceil(20_000 / Math.max(1, part.length)))
  return text
}

const [, , attacks] = process.argv
const texts = UNITS.flatMap((unit) => [
  unit.repeat(TEXT_CHARS / unit.length),
  `${unit.repeat(Math.ceil(2_000 / unit.length))}\n`.repeat(500),
])
if (attacks !== undefined) {
  const parts = readFileSync(attacks, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => attackText(String(JSON.parse(line).attack_js)))
  for (let at = 0; at < parts.length; at += 50) texts.push(parts.slice(at, at + 50).join('\n'))
}

for (const summarizer of [...builtInSummarizers.general, genericSummarizer]) {
  let slowest = { ms: 0, text: '' }
  for (const text of texts) {
    for (const args of CALLS) {
      let best = Number.POSITIVE_INFINITY
      for (let tried = 0; tried < TRIES; tried++) {
        const begun = performance.now()
        summarizer.summarize({ tool: 'shell', args, text, outcome: 'success', turn: 1, packet: undefined })
        best = Math.min(best, performance.now() - begun)
      }
      const ms = (best * 1e6) / text.length
      if (ms > slowest.ms) slowest = { ms, text: JSON.stringify(text.slice(0, 12)) }
    }
  }
  console.log(`${summarizer.name.padEnd(12)} slowest ${slowest.ms.toFixed(1)} ms per MB (${slowest.text}…)`)
}
