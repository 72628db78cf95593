import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findSecrets } from '../../src/secrets/find.ts'
import { secretsOf } from '../../src/secrets/secrets.ts'
import { chars, harmless, secretsMade } from './made.ts'

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
    { numRuns: 400 },
  )
})
