/**
 * How much the detector of secrets finds, touches and costs:
 *
 *     node bench/secrets.ts PATH…             by what each path is:
 *         CORPUS.jsonl                        rows { label: 'secret' | 'clean', b64, secret_b64? }: found, touched
 *         a folder of recordings              (first line { meta }): every alteration of a run, one a line
 *         any other folder or file            hits by kind (SHOW=1 lists them), MB a second
 *     node bench/secrets.ts --attacks FILE    rows { attack } against regular expressions, repeated to 1 MB
 *     node bench/secrets.ts --large           texts of 2 to 200 MB, and twice as much
 *     node bench/secrets.ts                   made texts of 1 MB that every rule begins in
 */
import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { findSecrets } from '../src/secrets/find.ts'
import { secretsOf } from '../src/secrets/secrets.ts'

const paths = process.argv.slice(2)
if (paths.length === 0) attack(madeTexts())
else if (paths[0] === '--attacks') attack(attacksIn(paths[1] ?? ''))
else if (paths[0] === '--large') large()
else
  for (const path of paths) {
    const runs = filesIn(path).filter((file) => file.endsWith('.jsonl') && rowsOf(file)[0]?.['meta'])
    if (runs.length > 0) recordings(path, runs)
    else path.endsWith('.jsonl') ? corpus(path) : folder(path)
  }

function rowsOf(path: string): Record<string, unknown>[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((row) => JSON.parse(row))
}

/** Each run from its goal to its last output, as it would be recorded: what was hidden once may be found again. */
function recordings(root: string, runs: readonly string[]): void {
  let [outputs, altered, hidden] = [0, 0, 0]
  for (const run of runs) {
    const { hide, reveal } = secretsOf({
      mac: (secret) => createHmac('sha256', 'bench').update(secret).digest('hex'),
    })
    for (const row of rowsOf(run)) {
      const { meta, args, thought, raw_output: raw } = row
      if (!meta) outputs++
      for (const part of [meta, thought, args, raw]) {
        if (part === undefined || part === null) continue
        const text = typeof part === 'string' ? part : JSON.stringify(part)
        const shown = hide(text)
        if (shown === text) continue
        if (part === raw) altered++
        for (const { 0: made, index } of shown.matchAll(/\[secret:[a-z0-9-]+:[0-9a-f]{12}\]/g)) {
          const before = shown.slice(Math.max(0, index - 60), index)
          hidden++
          console.log(
            `${run} turn ${row['turn']}: ${JSON.stringify(before)} ${made} ${String(reveal(made).value)}`,
          )
        }
      }
    }
  }
  console.log(`${root}: ${runs.length} runs, ${outputs} outputs, ${altered} altered, ${hidden} places hidden`)
}

function corpus(path: string): void {
  const count = { found: 0, secret: 0, touched: 0, clean: 0 }
  for (const { label, b64, secret_b64, rule } of rowsOf(path)) {
    const text = Buffer.from(String(b64), 'base64').toString()
    const found = findSecrets(text)
    const left = withoutFound(text, found)
    const secret =
      secret_b64 !== undefined &&
      Buffer.from(String(secret_b64), 'base64')
        .toString()
        .replace(/^["']|["']$/g, '')
    const hit = found.length > 0 && !(typeof secret === 'string' && left.includes(secret))
    if (label === 'secret') {
      count.secret++
      if (hit) count.found++
      else if (process.env['SHOW']) console.log(`missed ${rule}: ${JSON.stringify(text.slice(0, 120))}`)
    } else {
      count.clean++
      if (found.length > 0) count.touched++
      if (found.length > 0 && process.env['SHOW'])
        console.log(`touched ${rule}: ${JSON.stringify(left.slice(0, 120))}`)
    }
  }
  const share = ((100 * count.found) / Math.max(1, count.secret)).toFixed(1)
  console.log(
    `${path}: found ${count.found} of ${count.secret} (${share} %), touched ${count.touched} of ${count.clean} clean`,
  )
}

function withoutFound(text: string, found: ReturnType<typeof findSecrets>): string {
  return found.reduceRight(
    (left, { from, to, kind }) => `${left.slice(0, from)}[${kind}]${left.slice(to)}`,
    text,
  )
}

function folder(root: string): void {
  let chars = 0
  let ms = 0
  const kinds = new Map<string, number>()
  for (const path of filesIn(root)) {
    const text = readFileSync(path, 'utf8')
    const begin = performance.now()
    const found = findSecrets(text)
    ms += performance.now() - begin
    chars += text.length
    for (const { from, to, kind } of found) {
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
      if (process.env['SHOW'])
        console.log(`${path}: ${kind}: ${JSON.stringify(text.slice(Math.max(0, from - 40), to + 10))}`)
    }
  }
  const speed = (chars / 1e6 / (ms / 1e3)).toFixed(0)
  console.log(
    `${root}: ${(chars / 1e6).toFixed(1)} MB, ${speed} MB/s; ${JSON.stringify(Object.fromEntries(kinds))}`,
  )
}

function filesIn(root: string): string[] {
  if (statSync(root).isFile()) return [root]
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

function attack(texts: readonly string[]): void {
  const slow: [ms: number, text: string][] = []
  for (const piece of texts) {
    const text = piece.repeat(Math.ceil(1e6 / piece.length)).slice(0, 1e6)
    // Of the processor: other work on the machine does not count.
    const begin = process.cpuUsage()
    findSecrets(text)
    slow.push([process.cpuUsage(begin).user / 1_000, piece])
  }
  slow.sort(([a], [b]) => b - a)
  console.log(`${texts.length} texts of 1 MB; the slowest, in ms of the processor:`)
  for (const [ms, piece] of slow.slice(0, 8))
    console.log(`  ${ms.toFixed(0).padStart(6)}  ${JSON.stringify(piece.slice(0, 80))}`)
}

function attacksIn(path: string): string[] {
  return rowsOf(path)
    .flatMap((row) => Object.values(row))
    .filter((value): value is string => typeof value === 'string' && value !== '')
}

/** Processor time and memory of large texts; twice the text is to take twice the time. */
function large(): void {
  const texts: [name: string, make: (share: number) => string][] = [
    ['50 MB of "api_key: "', (share) => 'api_key: '.repeat((share * 50e6) / 9)],
    [
      '2 MB of <note></note>, then ‹',
      (share) => '<note></note>'.repeat(share * 77e3) + '‹'.repeat(share * 1e6),
    ],
    ['200 MB of a', (share) => 'a'.repeat(share * 200e6)],
    ['200 MB of words', (share) => 'the quick brown fox '.repeat(share * 1e7)],
    ['20 MB of \\n', (share) => '\\n'.repeat(share * 1e7)],
    ['20 MB of colour codes', (share) => '\x1b[31m'.repeat(share * 4e6)],
    ['20 MB of base64', (share) => btoa('token = none\n'.repeat(40)).repeat(share * 28e3)],
  ]
  for (const [name, make] of texts) {
    const took = [0.5, 1].map((share) => {
      const text = make(share)
      const begin = process.cpuUsage()
      findSecrets(text)
      return (process.cpuUsage(begin).user / 1e6).toFixed(2)
    })
    const rss = (process.memoryUsage().rss / 1e6).toFixed(0)
    console.log(`${name}: ${took[0]} s for half of it, ${took[1]} s for all; the process has ${rss} MB`)
  }
}

/** Beginnings that rules look on from, with what keeps each of them going. */
function madeTexts(): string[] {
  const heads = [
    ...'password=|token: |"api_key": "|secret|key|auth|Bearer |Authorization: |Cookie: a='.split('|'),
    ...'-----BEGIN PRIVATE KEY-----\n|-----END PRIVATE KEY-----\n|-----BEGIN |eyJhbGciOiJ|ZXlKhbGci'.split(
      '|',
    ),
    ...'kind: Secret\ndata:\n|"kty":"|"d":"|AKIAABCDEFGHIJKLMNOP |curl -u |curl |https://a:|https://|sk-'.split(
      '|',
    ),
    ...'ghp_|sk-ant-api03-|ops_eyJ|s.|SK|hvs.|T3BlbkFJ|<add key="Password" value="|mysql -p'.split('|'),
    ...'machine a login b password |--password |private-lines: 9\n|facebook|datadog|[secret:a:'.split('|'),
    ...'ghp_aB3dE5gH7jK9\n|\\u0067hp_|Z2hwX2FCM2RFNWdIN2pL|\x1b[31m'.split('|'),
  ]
  const tails = [...'|  |a|aB3|=|"|\'|{|.|-|/|a:|1|a b|= = '.split('|'), '\\n', '\n', '\\', '\t', '|']
  return heads.flatMap((head) =>
    tails.flatMap((tail) => [head + tail, head + tail.repeat(40), head + tail.repeat(4000)]),
  )
}
