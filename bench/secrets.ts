/**
 * How much the detector of secrets finds, touches and costs:
 *
 *     node bench/secrets.ts CORPUS.jsonl…     rows { label: 'secret' | 'clean', b64, secret_b64? }
 *     node bench/secrets.ts FOLDER…           files: hits by kind (SHOW=1 lists them), MB a second
 *     node bench/secrets.ts --attacks FILE    rows { attack } against regular expressions, repeated to 1 MB
 *     node bench/secrets.ts                   made texts of 1 MB that every rule begins in
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { findSecrets } from '../src/secrets/find.ts'

const paths = process.argv.slice(2)
if (paths.length === 0) attack(madeTexts())
else if (paths[0] === '--attacks') attack(attacksIn(paths[1] ?? ''))
else
  for (const path of paths) path.endsWith('.jsonl') && statSync(path).isFile() ? corpus(path) : folder(path)

function corpus(path: string): void {
  const rows = readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((row) => JSON.parse(row))
  const count = { found: 0, secret: 0, touched: 0, clean: 0 }
  for (const { label, b64, secret_b64, rule } of rows) {
    const text = Buffer.from(b64, 'base64').toString()
    const found = findSecrets(text)
    const left = withoutFound(text, found)
    const secret =
      secret_b64 &&
      Buffer.from(secret_b64, 'base64')
        .toString()
        .replace(/^["']|["']$/g, '')
    const hit = found.length > 0 && !(secret && left.includes(secret))
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
  console.log(
    `${path}: found ${count.found} of ${count.secret}, touched ${count.touched} of ${count.clean} clean`,
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
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .flatMap((row) => Object.values(JSON.parse(row)))
    .filter((value): value is string => typeof value === 'string' && value !== '')
}

/** Beginnings that rules look on from, with what keeps each of them going. */
function madeTexts(): string[] {
  const heads = [
    ...[
      'password=',
      'token: ',
      '"api_key": "',
      'secret',
      'key',
      'auth',
      'Bearer ',
      'Authorization: ',
      'Cookie: a=',
    ],
    ...[
      '-----BEGIN PRIVATE KEY-----\n',
      '-----END PRIVATE KEY-----\n',
      '-----BEGIN ',
      'eyJhbGciOiJ',
      'ZXlKhbGci',
    ],
    ...[
      'kind: Secret\ndata:\n',
      '"kty":"',
      'AKIAABCDEFGHIJKLMNOP ',
      'curl -u ',
      'curl ',
      'https://a:',
      'https://',
      'sk-',
    ],
    ...[
      'ghp_',
      'sk-ant-api03-',
      'ops_eyJ',
      's.',
      'SK',
      'hvs.',
      'T3BlbkFJ',
      '<add key="Password" value="',
      'mysql -p',
    ],
    ...[
      'machine a login b password ',
      '--password ',
      'private-lines: 9\n',
      'facebook',
      'datadog',
      '[secret:a:',
    ],
  ]
  const tails = [
    '',
    ' ',
    'a',
    'aB3',
    '=',
    '"',
    "'",
    '\\n',
    '\n',
    '{',
    '.',
    '-',
    '/',
    'a:',
    '1',
    '\\',
    'a b',
    '= = ',
    '\t',
  ]
  return heads.flatMap((head) =>
    tails.flatMap((tail) => [head + tail, head + tail.repeat(40), head + tail.repeat(4000)]),
  )
}
