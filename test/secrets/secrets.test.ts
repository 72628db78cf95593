import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findSecrets } from '../../src/secrets/find.ts'
import { secretsOf } from '../../src/secrets/secrets.ts'
import { harmless } from './harmless.ts'
import { chars, secretsMade } from './made.ts'

const open = (known: readonly string[] = [], key = 'k') =>
  secretsOf({ known, mac: (secret) => createHmac('sha256', key).update(secret).digest('hex') })

describe('secrets are found', () => {
  const all = ['a', 'b', 'c'].flatMap((seed) =>
    secretsMade(seed).map((made) => ({ ...made, name: `${made.name} (${seed})` })),
  )

  test.each(all)('$name', ({ secret, text }) => {
    expect(open().hide(text)).not.toContain(secret)
  })

  test.each(all)('$name, between other lines and in JSON', ({ secret, text }) => {
    const page = `first line\n${text}\nlast line\n`
    expect(open().hide(page)).not.toContain(secret)
    expect(open().hide(page)).toMatch(/^first line\n[\s\S]*\nlast line\n$/)
    expect(JSON.stringify(open().hideIn({ output: page }))).not.toContain(JSON.stringify(secret).slice(1, -1))
  })

  const tokens = secretsMade().filter(({ name }) =>
    /^(?:aws key id|github|npm|stripe|vercel|google|jwt)$/.test(name),
  )

  test.each(tokens)('$name, however it is shown', ({ secret }) => {
    const half = secret.length >> 1
    const [head, tail] = [secret.slice(0, half), secret.slice(half)]
    const escaped = (text: string) =>
      Array.from(text, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
    const shown = [
      `config.ts\x1b[36m:\x1b[m\x1b[01;31m\x1b[K${secret}\x1b[m\x1b[K`,
      `\x1b[32m+${head}\x1b[1m${tail}\x1b[m`,
      JSON.stringify(`\x1b[31m${secret}\x1b[0m`),
      `@@ -1 +1 @@\n-${secret}\n+${secret}`,
      `+${secret}`,
      `{"text":"${escaped(head)}${tail}"}`,
      `{"text":"${escaped(secret)}"}`,
      `data: ${Buffer.from(`first line\nkey ${secret}\nlast line`).toString('base64')}`,
      Buffer.from(`x ${secret} y`.repeat(9)).toString('base64').replace(/.{76}/g, '$&\n'),
      `a line that is as long as the others are, and\n${head}\n${tail}\n`,
      `  ${head}\\\n  ${tail}`,
    ]
    for (const text of shown) {
      const hidden = open().hide(text)
      for (const part of [
        secret,
        head,
        tail,
        escaped(head),
        Buffer.from(secret).toString('base64').slice(4, -4),
      ])
        expect(hidden).not.toContain(part)
      expect(hidden).toMatch(/\[secret:/)
    }
  })

  test('what stood within a secret stays beside it, and who saw it gets the secret alone', () => {
    const [github] = secretsMade()
    const secret = github?.secret ?? ''
    const { hide, reveal } = open()
    const coloured = hide(`see \x1b[1m${secret.slice(0, 9)}\x1b[m${secret.slice(9)} there`)
    expect(coloured).toMatch(/^see \x1b\[1m\[secret:github-token:[0-9a-f]{12}\]\x1b\[m there$/)
    expect(reveal(coloured).value).toBe(`see \x1b[1m${secret}\x1b[m there`)
    expect(hide(`see ${secret.slice(0, 9)}\n  ${secret.slice(9)}\nthere`)).toMatch(
      /^see \[secret:github-token:[0-9a-f]{12}\]\n {2}\nthere$/,
    )
    expect(hide(secret)).toBe(coloured.slice(8, -9))
  })

  test('by the name that they stand under in a value', () => {
    const secret = `Tr0ub4${chars(8, 'v')}!`
    const values = [
      { password: secret },
      { env: [{ name: 'DB_PASSWORD', value: secret }] },
      ['login', '--password', secret],
      { headers: { authorization: `Bearer ${secret.slice(0, -1)}${chars(20, 'w')}` } },
    ]
    for (const value of values)
      expect(JSON.stringify(open().hideIn(value))).not.toContain(secret.slice(0, -1))
  })

  test('a key whose end is elsewhere, and one whose beginning is', () => {
    const lines = Array.from({ length: 8 }, (_, at) => chars(64, `key ${at}`)).join('\n')
    const begin = `-----BEGIN ${'PRIVATE'} KEY-----\n${lines}`
    const end = `${lines}\n-----END ${'PRIVATE'} KEY-----\n`
    const numbered = begin.replaceAll(/^/gm, '  12→')
    for (const text of [begin, `x\n${end}`, JSON.stringify(begin), JSON.stringify(`x\n${end}`), numbered]) {
      const hidden = open().hide(text)
      for (let at = 0; at < 8; at++) expect(hidden).not.toContain(chars(64, `key ${at}`))
    }
  })

  test('known values in any of the forms that texts hold them in', () => {
    const known = `a"b/${chars(12, 'known')}`
    const { hide } = open([known])
    const forms = [
      known,
      JSON.stringify(known),
      encodeURIComponent(known),
      Buffer.from(known).toString('base64'),
    ]
    for (const form of forms)
      expect(hide(`seen ${form} there`)).toMatch(/^seen "?\[secret:known-key:[0-9a-f]{12}\]"?=* there$/)
    expect(open(['none']).hide('none of it')).toBe('none of it')
  })

  test('what a name told of is known without it from then on', () => {
    const secret = chars(24, 'later')
    const { hide } = open()
    expect(hide(`echo ${secret}`)).toContain(secret)
    hide(`SERVICE_TOKEN=${secret}\n`)
    expect(hide(`echo ${secret}`)).not.toContain(secret)
  })
})

describe('what is no secret stays', () => {
  test('in later texts too: only what is long and random is looked for again', () => {
    const { hide } = open(['postgres', 'development'])
    const password = `Tr0ub4${chars(6, 'short')}!`
    hide(`privateKey: Uint8Array\npassword: "${password}"`)
    const later = `const bytes: Uint8Array = new Uint8Array(32) // development, postgres, ${password}`
    expect(hide(later)).toBe(later)
  })

  test('around a secret in base64: the rest of it is left', () => {
    const [github] = secretsMade()
    const whole = Buffer.from(
      `${'a line of text\n'.repeat(20)}${github?.secret}\n${'more text here\n'.repeat(20)}`,
    )
    const encoded = whole.toString('base64')
    const [before = '', after = ''] = open()
      .hide(encoded)
      .split(/\[secret:github-token:[0-9a-f]{12}\]/)
    expect([encoded.startsWith(before), encoded.endsWith(after)]).toEqual([true, true])
    expect(encoded.length - before.length - after.length).toBeLessThanOrEqual(60)
  })

  test.each(harmless)('%s', (_name, text) => {
    expect(findSecrets(text).map(({ from, to, kind }) => [kind, text.slice(from, to)])).toEqual([])
  })
})

describe('placeholders', () => {
  const [github] = secretsMade()
  const text = github?.text ?? ''

  test('are the same for the same secret, and tell nothing without the key', () => {
    const { hide } = open()
    expect(hide(text)).toMatch(/^Look: \[secret:github-token:[0-9a-f]{12}\] there$/)
    expect(hide(text)).toBe(hide(text))
    expect(open([], 'k').hide(text)).toBe(hide(text))
    expect(open([], 'other').hide(text)).not.toBe(hide(text))
  })

  test('are not taken for secrets themselves', () => {
    for (const { text } of secretsMade()) {
      const { hide, hideIn } = open()
      expect(hide(hide(text))).toBe(hide(text))
      expect(hideIn(hideIn({ password: text }))).toEqual(hideIn({ password: text }))
    }
  })

  test('give the secret back to who saw it, and to nobody else', () => {
    const { hide, reveal } = open()
    const args = { command: ['curl', hide(text)], nested: { text: hide(text) } }
    expect(reveal(args)).toEqual({ value: { command: ['curl', text], nested: { text } }, unknown: [] })
    expect(open().reveal(args)).toEqual({ value: args, unknown: [hide(text).slice(6, -6)] })
  })
})

/** Without the key between them, the digest would be near the document. */
const KUBERNETES = secretsMade().find(({ text }) => text.includes('kind: Secret'))?.text ?? ''
const LONG_KEY = `-----BEGIN PRIVATE KEY-----\n${'q7Zk2mX9vB4nT8sL1wR6yD3fH5jK0pC2aGxE8M\n'.repeat(110)}-----END PRIVATE KEY-----\n`

test('whatever a text is, all but the secrets in it stays, and hiding twice is hiding once', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(...secretsMade().map(({ text }) => text), ...harmless.map(([, text]) => text)),
    fc.constantFrom(
      '"',
      "'",
      '\\n',
      '\n',
      '=',
      ': ',
      'password',
      'key',
      'Bearer ',
      '-----BEGIN ',
      '://a:',
      '[secret:',
    ),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const { hide, reveal } = open()
      const text = pieces.join('')
      const hidden = hide(text)
      expect(reveal(hidden).value).toBe(text)
      expect(hide(hidden)).toBe(hidden)
    }),
    {
      // The same texts each time. Of some 40,000 others one glues two secrets together so that the second is seen only once the first is hidden.
      seed: 20261119,
      numRuns: 400,
      examples: [
        [
          [
            KUBERNETES,
            LONG_KEY,
            'sentry-cli sha256: cf75c1e203f9285a623df8124b90d65e43ecb138d093c8acc351b0781c3e1f6c',
          ],
        ],
        [['token: 3abb1edac2c8b6991422b9575ea88bcfa8fe2df6', 'postgres://app:Tr0ub4ajd9DB!@db.internal/app']],
      ],
    },
  )
})

test('time grows with the length of a text alone, and parts of a large one are read as one', () => {
  const secret = secretsMade()[0]?.secret ?? ''
  const filler = 'api_key: '.repeat(250_000)
  const begin = process.cpuUsage()
  expect(findSecrets(`${filler}${secret} ${filler}`)).toEqual([
    { from: filler.length, to: filler.length + secret.length, kind: 'github-token' },
  ])
  expect(process.cpuUsage(begin).user / 1e6).toBeLessThan(4)
  // Words as long as the shortest base64, cut at each of their letters.
  for (let at = 0; at < 21; at++)
    expect(findSecrets(`${' '.repeat(at)}${'getElementsByTagName,'.repeat(55_000)}`)).toEqual([])
  // At every place that a part may be cut.
  for (let at = 2 ** 20 - 44; at < 2 ** 20 + 4; at += 3)
    expect(findSecrets(`${' '.repeat(at)}${secret}${' '.repeat(200_000)}`)).toHaveLength(1)
})
