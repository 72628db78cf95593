import { decode } from './base64.ts'
import {
  entropy,
  isDigest,
  isExample,
  isHexKey,
  isMeant,
  isPassword,
  isPublished,
  isRandom,
  isTemplate,
} from './random.ts'
import { matchAt, type Rule, type Span } from './rule.ts'

/** Where a rule's pattern matched. */
interface Place {
  readonly groups: readonly (string | undefined)[]
  /** What stands before the word that the rule begins at. */
  before(length: number): string
}
type Accepts = (secret: string, place: Place) => boolean

/** A rule whose pattern goes on after the word; the secret is the first of its groups that takes part. */
function after(kind: string, words: readonly string[], pattern: string, accepts: Accepts = isTyped): Rule {
  const sticky = new RegExp(pattern, 'diy')
  return {
    kind,
    words,
    find(text, from, to) {
      const match = matchAt(sticky, text, to)
      const at = match?.findIndex((group, index) => index > 0 && group !== undefined) ?? -1
      const [secret, span] = [match?.[at], match?.indices?.[at]]
      const before = (length: number) => text.slice(Math.max(0, from - length), from)
      if (!match || secret === undefined || !span || !accepts(secret, { groups: match, before }))
        return undefined
      return { from: span[0], to: span[1] }
    },
  }
}

/** As a person types it where only a password can stand. */
const isTyped = (secret: string): boolean =>
  isMeant(secret) &&
  /[a-z]/i.test(secret) &&
  (/\d|[!@#$%^&*+=?~]/.test(secret) || isRandom(secret, 12)) &&
  !/[(){}[\]]|^\W*\w+\.\w+|^[\w.-]+\//.test(secret)

const isKey = (secret: string): boolean => (isRandom(secret) || isHexKey(secret)) && !isExample(secret)

/** The password of `user:password` in base64. */
function passwordIn(value: string): string | undefined {
  const digits = value.replace(/={1,3}$/, '')
  return /^[A-Za-z0-9+/_-]{8,}$/.test(digits)
    ? /^[!-9;-~]+:([!-~]{4,})$/.exec(decode(digits))?.[1]
    : undefined
}

/** What a header that lets one in holds: the place tells, so that an id or digits of a digest count too. */
function isAuthorization(value: string): boolean {
  const password = passwordIn(value)
  if (password !== undefined) return isMeant(password)
  const isId = value.length === 36 && isDigest(value)
  return (isId || isKey(value) || isPassword(value, true)) && !isExample(value)
}

const addresses: readonly Rule[] = [
  after(
    'url-password',
    ['://'],
    String.raw`[^\s:/@'"${'`'}<>\\]{0,128}:([^\s/@'"${'`'}<>\\]{3,512})@([\w[.-]{1,64})`,
    (password, { groups: [all = '', , host = ''] }) => {
      const user = all.slice(0, all.indexOf(':'))
      if (/(?:^|\.)example\.(?:com|org|net)$/i.test(host) || /^[$%{<]/.test(password)) return false
      return isMeant(password) && !/^\d+$/.test(password) && (password !== user || /\d/.test(password))
    },
  ),
  // Digits alone are public by design: the key of a Sentry address.
  after('url-password', ['://'], String.raw`([\w-]{20,256})(?=@[\w[])`, (user) => isRandom(user, 20)),
  after(
    'url-secret',
    ['sig=', 'x-amz-signature=', 'x-amz-security-token=', 'x-goog-signature='],
    String.raw`([\w%+/.=~-]{20,2048})`,
    (value, { before }) => /[?&;]$/.test(before(1)) && entropy(value) >= 3 && !isExample(value),
  ),
]

const SCHEME =
  '(?:(?:Basic|Bearer|Token|Digest|ApiKey|Api-Token|Bot|SSWS|GenieKey|Splunk|PVEAPIToken)[ \\t=]{1,5}(?:token=)?|key=)?'

/** Headers that nothing but what lets one in stands in. */
const headers: readonly Rule[] = [
  after(
    'authorization',
    [
      ...['authorization', 'private-token', 'x-api-key', 'x-auth-token', 'x-auth-key', 'server-token'],
      ...['vault-token', 'consul-token', '-apikey', 'x-goog-api-key'],
    ],
    String.raw`[\s'"\]]{0,4}[:=,][ \t'"${'`'}]{0,4}${SCHEME}([\w=~@.+/:-]{8,4096})(?!\()`,
    isAuthorization,
  ),
  after('authorization', ['bearer '], '([\\w=~@.+/:-]{20,4096})(?!\\()', isKey),
  // `user:password` of a registry.
  after(
    'authorization',
    ['_auth', '"auth"'],
    '["\']?\\s{0,4}[:=]\\s{0,4}["\']?([\\w+/-]{8,512}={0,2})',
    (value) => isMeant(passwordIn(value) ?? ''),
  ),
]

const cookie: Rule = {
  kind: 'cookie',
  words: ['cookie:', 'cookie":', "cookie':", '--cookie', 'cookie='],
  find(text, _from, to) {
    const line = matchAt(/[^\r\n]{1,4096}/y, text, to)?.[0] ?? ''
    const spans: Span[] = []
    for (const { 0: pair, 1: name = '', 2: value = '', index } of line.matchAll(
      /([\w.-]{1,64})=([^\s;,"'\\]{8,2048})/g,
    )) {
      const telling = /sess|sid|auth|token|jwt|remember|login/i.test(name)
      if (isTemplate(value) || !(telling ? isKey(value) : isRandom(value, 32))) continue
      const from = to + index + pair.length - value.length
      spans.push({ from, to: from + value.length })
    }
    return { spans, upTo: to + line.length }
  },
}

/** A value of a command line: quoted, or up to the next space. */
const VALUE = String.raw`(?:"([^"\s]{4,256})"|'([^'\s]{4,256})'|([^\s"'${'`'};|&<>()\\]{4,256}))`
/** As the next word of a command line, or the next item of a list. */
const NEXT = String.raw`(?:[ \t]+|=|["'],\s{0,20}["'])`
const USER =
  String.raw`(?:=|[ \t]{0,5})(?:"[^":]{0,128}:([^"]{3,256})"|'[^':]{0,128}:([^']{3,256})'|` +
  String.raw`(?:"[^"]{3,128}"|'[^']{3,128}'|[\w$@.{}-]{1,128}):(?:"([^"]{3,256})"|'([^']{3,256})'|([\w\${}@.~-]{3,256})))`

/** How programs take a password on their command line. */
const commands: readonly Rule[] = [
  after('password', ['--password', '--passwd', '--pass', '--pwd', '--passphrase'], NEXT + VALUE),
  after(
    'secret',
    ['--token', '--secret', '--api-key', '--apikey', '--access-token', 'requirepass', 'masterauth'],
    NEXT + VALUE,
    isKey,
  ),
  after(
    'password',
    [' -u', '\t-u', '\n-u', ' --user', '\t--user', '\n--user', '--proxy-user'],
    USER,
    (password, { before }) => isMeant(password) && /\bwget\b|curl/.test(before(600)),
  ),
  after(
    'password',
    ['sshpass', 'mysql', 'mariadb', 'docker login', 'podman login', 'registry login'],
    String.raw`[^\r\n]{0,200}?\s-p ?${VALUE}(?=\s|$)`,
  ),
  after('password', ['redis-cli'], String.raw`[^\r\n]{0,200}?\s(?:-a|--pass) ${VALUE}`),
  after(
    'password',
    ['auth=(', 'basicauth('],
    String.raw`\s{0,4}["'][^"'\s]{1,64}["']\s{0,4},\s{0,4}["']([^"'\s]{4,256})["']`,
  ),
  after('password', ["password '", 'identified by '], String.raw`'?([^'\s]{4,128})'`),
  // A program that reads it from the one before.
  {
    kind: 'password',
    words: ['--password-stdin', 'chpasswd'],
    find(text, from) {
      const start = Math.max(0, from - 200)
      const given =
        /(?:echo|printf)\s+(?:-n\s+)?["']?(?:[\w.-]+:)?([^\s"'|:]{4,128})["']?\s{0,4}\|[^|\r\n]*$/d.exec(
          text.slice(start, from),
        )
      const span = given?.indices?.[1]
      if (!span || !isTyped(given?.[1] ?? '')) return undefined
      return { from: start + span[0], to: start + span[1] }
    },
  },
]

/** Files of programs that keep passwords without naming each. */
const files: readonly Rule[] = [
  after('password', [':5432:'], String.raw`[^:\s]{1,64}:[^:\s]{1,64}:([^\s:]{4,128})`),
  after('password', ['password ', 'password\t'], String.raw`(\S{4,256})`, (password, { before }) => {
    const words = before(300).trimEnd().split(/\s+/).slice(-4)
    const isEntry = words.at(-2) === 'login' && (words.at(-4) === 'machine' || words.at(-3) === 'default')
    return isEntry && isMeant(password)
  }),
  after(
    'password',
    ['password"'],
    String.raw`\s{0,20}value="([^"\s]{8,256})"`,
    (password, { before }) =>
      /<add\s+key="(?:ClearText)?$/i.test(before(30)) &&
      !/^%[^%]+%$|^[$#{]/.test(password) &&
      !isPublished(password),
  ),
  after(
    'github-token',
    ['"github-oauth"'],
    String.raw`\s{0,4}:\s{0,4}\{[^{}]{0,100}?:\s{0,4}"(\w{40,255})"`,
    isKey,
  ),
  // An app's id and its secret, with nothing between the name and them.
  after(
    'facebook-token',
    ['facebook'],
    String.raw`[\s\S]{0,60}?(?<!\d)(\d{15,16}[|%][\w-]{27,40})(?![\w-])`,
    () => true,
  ),
  // The token that stands beside the number of an account.
  after(
    'twilio-key',
    ['AC'],
    String.raw`[0-9a-f]{32}["'\s,:;&]{1,12}(?:\w{1,24}["'\s:=]{1,6})?([0-9a-f]{32})(?!\w)`,
    isKey,
  ),
]

export const placeRules: readonly Rule[] = [...addresses, ...headers, cookie, ...commands, ...files]
