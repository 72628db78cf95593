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
} from './random.ts'
import { matchAt, type SecretRule, type Span } from './rule.ts'

/** A value of a command line, quoted or up to the next space; as the next word there, or the next item of a list. */
const VALUE = String.raw`(?:"([^"\s]{4,256})"|'([^'\s]{4,256})'|([^\s"'${'`'};|&<>()\\]{4,256}))`
const NEXT = String.raw`(?:[\x20\t]+|=|["'],\s{0,20}["'])${VALUE}`
const USER =
  String.raw`(?:=|[\x20\t]{0,5})(?:"[^":]{0,128}:([^"]{3,256})"|'[^':]{0,128}:([^']{3,256})'|` +
  String.raw`(?:"[^"]{3,128}"|'[^']{3,128}'|[\w$@.{}-]{1,128}):(?:"([^"]{3,256})"|'([^']{3,256})'|([\w\${}@.~-]{3,256})))`
const SCHEME =
  '(?:(?:Basic|Bearer|Token|Digest|ApiKey|Api-Token|Bot|SSWS|GenieKey|Splunk|PVEAPIToken)[\\x20\\t=]{1,5}(?:token=)?|key=)?'

/**
 * Places where only a secret can stand: addresses, headers, command lines, files of programs. A row: the kind, what its
 * secret must be (below), the words it is found by (`·` is a space), and the pattern after them, the secret being the
 * first of its groups that takes part.
 */
const TABLE = String.raw`
url-password   address  ://                       [^\s:/@'"<>\\]{0,128}:([^\s/@'"<>\\\x00-\x1f]{3,512})@[\w[.-]{1,64}
url-password   userinfo ://                       ([\w-]{20,256})(?=@[\w[])
url-secret     signed   sig=,x-amz-signature=,x-amz-security-token=,x-goog-signature= ([\w%+/.=~-]{20,2048})
authorization  header   authorization,_authtoken,private-token,x-api-key,x-auth-token,x-auth-key,server-token,vault-token,consul-token,-apikey,x-goog-api-key [\s'"\]]{0,4}[:=,][\x20\t'"]{0,4}${SCHEME}([\w=~@.+/:-]{8,4096})(?!\()
authorization  key      bearer·                   ([\w=~@.+/:-]{20,4096})(?!\()
authorization  pair     _auth,"auth"              ["']?\s{0,4}[:=]\s{0,4}["']?([\w+/-]{8,512}={0,2})
password       typed    --password,--passwd,--pass,--pwd,--passphrase ${NEXT}
secret         key      add-authtoken·            ([\w-]{20,64})
secret         key      --token,--secret,--api-key,--apikey,--access-token,requirepass,masterauth ${NEXT}
password       curl     ·-u,--user,--proxy-user   ${USER}
password       typed    sshpass,mysql,mariadb,docker·login,podman·login,registry·login [^\r\n]{0,200}?\s-p\x20?${VALUE}(?=\s|$)
password       typed    redis-cli                 [^\r\n]{0,200}?\s(?:-a|--pass)\x20${VALUE}
password       strong   auth=(,basicauth(         \s{0,4}["'][^"'\s]{1,64}["']\s{0,4},\s{0,4}["']([^"'\s]{4,256})["']
password       strong   setpassword(,set_password( \s{0,4}["']([^"'\s]{4,256})["']
password       strong   password·',identified·by· '?([^'\s]{4,128})'
password       meant    :5432:                    [^:\s]{1,64}:[^:\s]{1,64}:([^\s:]{4,128})
password       netrc    password·,password\t      (\S{4,256})
password       nuget    password"                 \s{0,20}value="([^"\s]{8,256})"
github-token   key      "github-oauth"            \s{0,4}:\s{0,4}\{[^{}]{0,100}?:\s{0,4}"(\w{40,255})"
facebook-token any      facebook                  [\s\S]{0,60}?(?<!\d)(\d{15,16}[|%][\w-]{27,40})(?![\w-])
twilio-key     key      AC                        [0-9a-f]{32}["'\s,:;&]{1,12}(?:\w{1,24}["'\s:=]{1,6})?([0-9a-f]{32})(?!\w)
aws-secret-key mixed    AKIA,ASIA                 [A-Z2-7]{16}\b[\s\S]{0,280}?(?<![A-Za-z0-9+/])([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])
private-key    webkey   "d","p","q","dp","dq","qi","k" \s{0,5}:\s{0,5}"([\w-]{20,4000})"
private-key    any      private-lines:            \x20\d{1,4}\r?\n((?:[A-Za-z0-9+/=]{1,64}\r?\n?){1,500})
`

/** What a secret at a place must be, besides; `near` is what stands around the word. */
const JUDGES: Readonly<
  Record<string, (secret: string, near: { before: string; all: string; after: string }) => boolean>
> = {
  any: () => true,
  key: isKey,
  meant: isMeant,
  typed: isTyped,
  strong: (secret) => isPassword(secret, true),
  header: isAuthorization,
  mixed: (secret) => isRandom(secret) && /[a-z]/.test(secret) && /[A-Z]/.test(secret) && !isExample(secret),
  pair: (secret) => isMeant(passwordIn(secret) ?? ''),
  // Digits alone are public by design: the key of a Sentry address.
  userinfo: (secret) => isRandom(secret, 20),
  signed: (secret, { before }) => /[?&;]$/.test(before) && entropy(secret) >= 3 && !isExample(secret),
  curl: (secret, { before }) => isMeant(secret) && !secret.startsWith('-') && /\bwget\b|curl/.test(before),
  address(secret, { all }) {
    if (/@(?:[\w-]+\.)*example\.(?:com|org|net)$/i.test(all) || /^[$%{<]|^\d+$/.test(secret)) return false
    const plain = plainOf(secret)
    return (
      plain.length >= ADDRESS_CHARS_MIN &&
      isMeant(plain) &&
      (!all.startsWith(`${secret}:`) || /\d/.test(secret))
    )
  },
  netrc(secret, { before }) {
    const words = before.slice(-300).trimEnd().split(/\s+/).slice(-4)
    return (
      words.at(-2) === 'login' &&
      (words.at(-4) === 'machine' || words.at(-3) === 'default') &&
      isMeant(secret)
    )
  },
  nuget: (secret, { before }) =>
    /<add\s+key="(?:ClearText)?$/i.test(before) && !/^%[^%]+%$|^[$#{]/.test(secret) && !isPublished(secret),
  webkey: (_secret, { before, after }) => before.includes('"kty"') || after.includes('"kty"'),
}
/** Of a password in an address; a shorter one is made up to try how it is written there. */
const ADDRESS_CHARS_MIN = 6

/** Without the signs that an address has to write as numbers, and without accents. */
function plainOf(secret: string): string {
  try {
    return decodeURIComponent(secret).normalize('NFD').replace(/\p{M}/gu, '')
  } catch {
    return secret
  }
}
/** Of what a judge looks at. */
const NEAR_CHARS = 1000

function ruleOf(row: string): SecretRule {
  const [kind = '', judge = '', words = '', source = ''] = row.split(/ +/)
  const pattern = new RegExp(source, 'diy')
  return {
    kind,
    words: words.replaceAll('·', ' ').replaceAll('\\t', '\t').split(','),
    find(text, from, to) {
      const match = matchAt(pattern, text, to)
      const at = match?.findIndex((group, index) => index > 0 && group !== undefined) ?? -1
      const [secret, span] = [match?.[at], match?.indices?.[at]]
      if (!match || secret === undefined || !span) return undefined
      const before = text.slice(Math.max(0, from - NEAR_CHARS), from)
      const after = text.slice(span[1], span[1] + NEAR_CHARS)
      return JUDGES[judge]?.(secret, { before, all: match[0], after })
        ? { from: span[0], to: span[1] }
        : undefined
    },
  }
}

/** As a person types it where only a password can stand. */
function isTyped(secret: string): boolean {
  return (
    isMeant(secret) &&
    !secret.startsWith('-') &&
    /[a-z]/i.test(secret) &&
    (/\d|[!@#$%^&*+=?~]/.test(secret) || isRandom(secret, 12)) &&
    !/[(){}[\]]|^\W*\w+\.\w+|^[\w.-]+\//.test(secret)
  )
}

function isKey(secret: string): boolean {
  return (isRandom(secret) || isHexKey(secret)) && !isExample(secret)
}

/** What a header that lets one in holds: the place tells, so that an id or digits of a digest count too. */
function isAuthorization(value: string): boolean {
  const password = passwordIn(value)
  if (password !== undefined) return isMeant(password)
  const isId = value.length === 36 && isDigest(value)
  return (isId || isKey(value) || isPassword(value, true)) && !isExample(value)
}

/** The password of `user:password` in base64. */
function passwordIn(value: string): string | undefined {
  const digits = value.replace(/={1,3}$/, '')
  return /^[A-Za-z0-9+/_-]{8,}$/.test(digits)
    ? /^(?![{[])[!-9;-~]+:([ -~]*)$/.exec(decode(digits))?.[1]
    : undefined
}

const cookie: SecretRule = {
  kind: 'cookie',
  words: ['cookie:', 'cookie":', "cookie':", '--cookie', 'cookie='],
  find(text, _from, to) {
    const line = matchAt(/[^\r\n]{1,4096}/y, text, to)?.[0] ?? ''
    const spans: Span[] = []
    for (const { 0: pair, 1: name = '', 2: value = '', index } of line.matchAll(
      /([\w.-]{1,64})=([^\s;,"'\\]{8,2048})/g,
    )) {
      const telling = /sess|sid|auth|token|jwt|remember|login/i.test(name)
      if (!(telling ? isKey(value) : isRandom(value, 32) && !isExample(value))) continue
      const from = to + index + pair.length - value.length
      spans.push({ from, to: from + value.length })
    }
    return { spans, upTo: to + line.length }
  },
}

/** A program that reads a password from the one before. */
const piped: SecretRule = {
  kind: 'password',
  words: ['--password-stdin', 'chpasswd'],
  find(text, from) {
    const start = Math.max(0, from - 200)
    const given =
      /(?:echo|printf)\s+(?:-n\s+)?["']?(?:[\w.-]+:)?([^\s"'|:]{4,128})["']?\s{0,4}\|[^|\r\n]*$/d.exec(
        text.slice(start, from),
      )
    const span = given?.indices?.[1]
    return span && isTyped(given?.[1] ?? '') ? { from: start + span[0], to: start + span[1] } : undefined
  },
}

export const placeRules: readonly SecretRule[] = [...TABLE.trim().split('\n').map(ruleOf), cookie, piped]
