/**
 * Does any text or value run away on its whole way: read, searched for secrets, summarized, recorded, folded, rendered,
 * shown on a terminal? Each case with N and 2 N, in time of the processor. `RATIO` of 2 is linear; 4 is quadratic.
 *
 *     node bench/limits.ts [CHARS] [ATTACKS.jsonl…]
 */
import { existsSync, readFileSync } from 'node:fs'
import { visible } from '../src/audit/visible.ts'
import { safe } from '../src/cli/output.ts'
import { Memory } from '../src/memory.ts'
import { memoryStore } from '../src/store/memory.ts'
import { sanitizeText } from '../src/text/sanitize.ts'

const CHARS = Number(process.argv[2] ?? 1_000_000)
const fill = (piece: string, chars: number): string =>
  piece.repeat(Math.ceil(chars / piece.length)).slice(0, chars)

/** What a text begins with for half of it, and goes on with. */
const PAIRS: readonly (readonly [string, string])[] = [
  ['<note></note>', '‹'],
  ['<note>', '</note>'],
  ['‹', '›'],
  ['<', '<'],
  ['[', ']'],
  ['[/', '|'],
  ['(', ')'],
  ['{"a":', '}'],
  ['\\u00', '1b'],
  ['\u001b[', '31m'],
  ['\u001b]8;;', '\u0007'],
  ['api_key: ', 'x'],
  ['-----BEGIN PRIVATE KEY-----\n', 'A'],
  ['"', "'"],
  ['`', '$('],
  ['a ', '\n'],
  [' ', 'x'],
  ['\t', '\n'],
  ['diff --git a/x b/x\n', '@@ -1 +1 @@\n'],
  ['  File "a.py", line 1\n', 'Error: '],
  ['FAILED a::b - ', 'E   '],
  ['a.ts(1,1): error ', 'TS1: x\n'],
  ['not ok 1 - ', '  ---\n'],
  ['<div>', '</div>'],
  ['<!--', '-->'],
  ['&amp', ';'],
  ['/a', '.b'],
  ['../', 'x/'],
  ['a::', '()'],
  ['\ud800', '\udc00'],
  ['\u202e', '\u200b'],
  ['🧑🏽‍', '💻'],
  ['\r', '\r\n'],
  ['#', '='],
  ['| a ', '| --- |\n'],
  ['1', '.'],
  ['eyJ', '.eyJ'],
  ['cat <<EOF\n', 'EOF\n'],
]

interface Case {
  readonly name: string
  readonly of: (chars: number) => unknown
}

const texts: Case[] = PAIRS.flatMap(([first, second]) => [
  { name: `${first} × N`, of: (chars) => fill(first, chars) },
  { name: `${first} × N, ${second} × N`, of: (chars) => fill(first, chars / 2) + fill(second, chars / 2) },
  { name: `${first}${second} × N`, of: (chars) => fill(first + second, chars) },
])
const values: Case[] = [
  { name: 'a list of N', of: (chars) => Array.from({ length: chars / 4 }, (_, at) => at) },
  {
    name: 'an object of N keys',
    of: (chars) => Object.fromEntries(Array.from({ length: chars / 10 }, (_, at) => [`k${at}`, at])),
  },
  {
    name: 'a list within a list, N deep',
    of: (chars) => {
      let value: unknown = 0
      for (let at = 0; at < chars / 100; at++) value = [value]
      return value
    },
  },
  {
    name: 'a sparse list',
    of: (chars) => {
      const list: number[] = []
      list[chars * 1_000] = 1
      return list
    },
  },
  {
    name: 'a circle',
    of: () => {
      const one: Record<string, unknown> = {}
      one['self'] = one
      return one
    },
  },
  {
    name: 'one object in N places',
    of: (chars) => {
      const one = { a: 'x'.repeat(100) }
      return Array.from({ length: chars / 100 }, () => one)
    },
  },
  {
    name: 'each object twice in the next',
    of: (chars) => {
      let value: unknown = 'x'
      for (let at = 0; at < Math.log2(chars) + 20; at++) value = [value, value]
      return value
    },
  },
  { name: 'bytes that are no text', of: (chars) => Buffer.alloc(chars, 0xff) },
  {
    name: 'a map and a set',
    of: (chars) => ({
      map: new Map([['a', 1]]),
      set: new Set(Array.from({ length: chars / 10 }, (_, at) => at)),
    }),
  },
]

/** The whole way of one result, in milliseconds of the processor. */
async function cost(result: unknown, asArgument: boolean): Promise<number> {
  const store = memoryStore()
  const memory = await Memory.open({ store, agentId: 'a', goal: 'Go.' })
  const before = process.cpuUsage()
  const args = asArgument ? { command: result, path: result } : { command: 'run' }
  await memory.recordToolRun({ tool: 'run', args: args as never }, () => (asArgument ? 'ok' : result))
  const { text } = await memory.prompt()
  if (typeof result === 'string') {
    sanitizeText(result)
    visible(result)
    safe(result)
  }
  await memory.messages()
  const { user, system } = process.cpuUsage(before)
  if (text.length > 100_000) throw new Error(`the prompt has ${text.length} characters`)
  await memory.close()
  await store.close()
  return (user + system) / 1_000
}

const attacks: Case[] = process.argv.slice(3).flatMap((path) =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((row, at): Case => {
          const { attack_js, attack } = JSON.parse(row)
          const text = String(attack ?? attack_js)
          return { name: `${path} ${at + 1}`, of: (chars) => fill(text, chars) }
        })
    : [],
)

let worst = { name: '', ms: 0, ratio: 0 }
let over = 0
await cost('warm up '.repeat(10_000), false)
for (const { name, of } of [...texts, ...values, ...attacks])
  for (const asArgument of [false, true]) {
    if (asArgument && typeof of(10) !== 'string') continue
    const chars = asArgument ? CHARS / 10 : CHARS
    let half = await cost(of(chars / 2), asArgument)
    let ms = await cost(of(chars), asArgument)
    // The collector of garbage comes when it likes: what seems to run away is measured again, and the least counts.
    for (let again = 0; again < 2 && (ms > 1_500 || (ms > 250 && ms > half * 3)); again++) {
      half = Math.max(half, await cost(of(chars / 2), asArgument))
      ms = Math.min(ms, await cost(of(chars), asArgument))
    }
    const ratio = ms / Math.max(half, 1)
    const isOver = ms > 250 && ratio > 3
    if (isOver || ms > 1_500) {
      over++
      console.log(
        `${isOver ? 'runs away' : 'slow'}: ${JSON.stringify(name).slice(0, 80)} ${asArgument ? 'as argument' : 'as output'}: ${Math.round(half)} → ${Math.round(ms)} ms`,
      )
    }
    if (ms > worst.ms) worst = { name, ms: Math.round(ms), ratio }
  }
const cases = texts.length * 2 + values.length + attacks.length * 2
console.log(
  `${cases} cases of ${CHARS} characters, ${over} run away or are slow; the slowest: ${JSON.stringify(worst)}`,
)
