import { entropy, isExample, isJumble, isPublished, isTemplate, looksRandom, turns } from './likely.ts'
import { matchAt, type Rule, type Span } from './rule.ts'

/** What people put where a password goes when it does not matter. */
const COMMON =
  /^(?:pass(?:word|wd)?|pw|secret|token|test|admin|root|user(?:name)?|guest|postgres|mysql|rabbitmq|redis|mongo|minio(?:admin)?|sa|example|changeit|changeme|yyy|xxx|\*+|\.+|-+)\d{0,3}$/i

/** A value of a command line: quoted, or up to the next space. */
const VALUE = String.raw`(?:"([^"\s]{4,256})"|'([^'\s]{4,256})'|([^\s"'${'`'};|&<>()\\]{4,256}))`

/** Where a rule's pattern matched. */
interface Place {
  readonly groups: readonly (string | undefined)[]
  /** What stands before the word that the rule begins at. */
  before(length: number): string
}

/** A rule whose pattern goes on after the word; the secret is the first of its groups that takes part. */
function after(
  kind: string,
  words: readonly string[],
  pattern: string,
  accepts: (secret: string, place: Place) => boolean = isTyped,
): Rule {
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

const isMeant = (secret: string): boolean =>
  !isExample(secret) && !COMMON.test(secret) && !secret.startsWith('-')

/** As a person would make it: letters, and something else among them. */
const isTyped = (secret: string): boolean =>
  isMeant(secret) &&
  (/\d|[!@#$%^&*+=?~]/.test(secret) || isJumble(secret)) &&
  /[a-z]/i.test(secret) &&
  !/[(){}[\]]/.test(secret)

const addresses: readonly Rule[] = [
  after(
    'url-password',
    ['://'],
    String.raw`[^\s:/@'"${'`'}<>\\]{0,128}:([^\s/@'"${'`'}<>\\]{3,512})@([\w[.-]{1,64})`,
    (password, { groups: [all = '', , host = ''] }) => {
      const user = all.slice(0, all.indexOf(':'))
      if (/(?:^|\.)example\.(?:com|org|net)$/i.test(host) || /^[$%{<]/.test(password)) return false
      return isMeant(password) && (password !== user || /\d/.test(password))
    },
  ),
  // Public by design: the key of a Sentry address.
  after(
    'url-password',
    ['://'],
    String.raw`([\w-]{20,256})(?=@[\w[])`,
    (user) => looksRandom(user) && !/^[0-9a-f]{32}$/.test(user),
  ),
  after(
    'url-secret',
    ['sig=', 'signature=', 'security-token=', 'x-amz-credential='],
    String.raw`([\w%+/.=~-]{20,2048})`,
    (value, { before }) =>
      /(?:[?&]|amz-|&amp;)$/i.test(before(6)) && entropy(value) >= 3 && !isExample(value),
  ),
]

const authorization: Rule = {
  kind: 'authorization',
  words: [
    ...['authorization', 'bearer ', 'private-token', 'x-api-key', 'x-auth-token', 'x-auth-key'],
    ...['server-token', 'vault-token', 'consul-token', '-key'],
  ],
  find(text, from, to) {
    const bare = text.charCodeAt(to - 1) === 0x20
    const lead = bare
      ? ''
      : matchAt(
          /[\s'"\\\]]{0,4}[:=,][\s'"`\\]{0,4}(?:(?:Basic|Bearer|Token|Digest|ApiKey|Api-Token|Bot|SSWS|GenieKey|Splunk|PVEAPIToken)[\s=]{1,5}(?:token=)?|key=)?/iy,
          text,
          to,
        )?.[0]
    if (lead === undefined) return undefined
    const before = text.slice(Math.max(0, from - 40), from)
    if (bare && /authorization/i.test(before.slice(-20))) return undefined
    if (/-key$/i.test(text.slice(from, to)) && !/\bx(?:-[a-z]+)*(?:-api)?$/i.test(before)) return undefined
    const at = to + lead.length
    const value = matchAt(/[\w=~@.+/:-]{8,4096}/y, text, at)?.[0]
    if (value === undefined || isTemplate(value) || isExample(value)) return undefined
    const mixed = /\d/.test(value) || (value.length >= 12 && turns(value) >= 0.2)
    const least = mixed && (bare ? looksRandom(value) && value.length >= 20 : entropy(value) >= 2.75)
    if (!least || /^[\w-]+:\/\//.test(value) || text.charAt(at + value.length) === '(') return undefined
    return { from: at, to: at + value.length }
  },
}

const cookie: Rule = {
  kind: 'cookie',
  words: ['cookie:', 'cookie":', "cookie':", '--cookie', 'cookie='],
  find(text, _from, to) {
    const line = matchAt(/[^\r\n]{1,4096}/y, text, to)?.[0] ?? ''
    const spans: Span[] = []
    for (const { 0: pair, 1: name = '', 2: value = '', index } of line.matchAll(
      /([\w.-]{1,64})=([^\s;,"'\\]{8,2048})/g,
    )) {
      const telling =
        /sess|sid|auth|token|jwt|remember|login|csrf/i.test(name) && value.length >= 16 && /\d/.test(value)
      if (isTemplate(value) || !(telling || (value.length >= 24 && looksRandom(value)))) continue
      const from = to + index + pair.length - value.length
      spans.push({ from, to: from + value.length })
    }
    return { spans, upTo: to + line.length }
  },
}

/** As the next word of a command line, or the next item of a list. */
const NEXT = String.raw`(?:[ \t]+|=|["'],\s{0,20}["'])`

const options: readonly Rule[] = [
  after(
    'password',
    [
      ...['--password', '--passwd', '--pass', '--pwd', '--passphrase', '--http-password'],
      ...['--ftp-password', '--proxy-password', '--db-password', '--from-literal='],
    ],
    NEXT + VALUE,
    (secret) => isTyped(secret) && !secret.includes('/'),
  ),
  after(
    'secret',
    [
      ...['--token', '--secret', '--api-key', '--apikey', '--access-token', '--auth-token'],
      ...['--client-secret', '--private-token', 'add-authtoken', 'requirepass', 'masterauth'],
    ],
    NEXT + VALUE,
    (secret) => isMeant(secret) && looksRandom(secret) && !/[(){}[\]/]/.test(secret),
  ),
]

const USER =
  String.raw`(?:=|[ \t]{0,5})(?:"[^":]{0,128}:([^"]{3,256})"|'[^':]{0,128}:([^']{3,256})'|` +
  String.raw`(?:"[^"]{3,128}"|'[^']{3,128}'|[\w$@.{}-]{1,128}):(?:"([^"]{3,256})"|'([^']{3,256})'|([\w\${}@.~-]{3,256})))`

/** How programs take a password on their command line. */
const programs: readonly Rule[] = [
  after(
    'password',
    [' -u', '\t-u', '\n-u', ' --user', '\t--user', '\n--user', '--proxy-user'],
    USER,
    (password, { before }) => isMeant(password) && /\b(?:wget|https?)\b|curl/.test(before(600)),
  ),
  after(
    'password',
    ['sshpass', 'mysql', 'mariadb', 'docker login', 'podman login', 'registry login'],
    String.raw`[^\r\n]{0,200}?\s-p ?${VALUE}(?=\s|$)`,
  ),
  after('password', ['redis-cli'], String.raw`[^\r\n]{0,200}?\s(?:-a|--pass) ${VALUE}`),
  after('password', ['http ', 'https '], String.raw`(?:-\w+ ){0,3}(?:-a|--auth)[ =][\w.@-]{1,64}:${VALUE}`),
  after('password', ['htpasswd'], String.raw` -[a-z]*b[a-z]* \S{1,128} \S{1,64} ${VALUE}`),
  after('password', ['sqlplus '], String.raw`(?:-\w+ ){0,3}[\w$]{1,64}\/${VALUE}`),
  after('password', ['net user '], String.raw`\S{1,64} ${VALUE}`),
  after('password', ['convertto-securestring'], String.raw`(?:\s+-String)?\s+${VALUE}`),
  after(
    'password',
    ['pass:'],
    VALUE,
    (secret, { before }) => isTyped(secret) && /-pass(?:in|out)?["' ]+$/.test(before(12)),
  ),
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
  after('password', [':5432:'], String.raw`[^:\s]{1,64}:[^:\s]{1,64}:([^\s:]{4,128})`, isMeant),
  after('password', ['password ', 'password\t'], String.raw`(\S{4,256})`, (password, { before }) => {
    const words = before(300).trimEnd().split(/\s+/).slice(-4)
    const isEntry = words.at(-2) === 'login' && (words.at(-4) === 'machine' || words.at(-3) === 'default')
    return isEntry && !isTemplate(password) && !COMMON.test(password)
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
    () => true,
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
    () => true,
  ),
]

export const formRules: readonly Rule[] = [
  ...addresses,
  authorization,
  cookie,
  ...options,
  ...programs,
  ...files,
]
