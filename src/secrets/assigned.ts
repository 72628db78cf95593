import { isNameOfDigest } from './named.ts'
import { isExample, isHexKey, isOfSigns, isPassword, isRandom } from './random.ts'
import { matchAt, type SecretRule, type Span } from './rule.ts'

/** Of a name, before the word that it is found by. */
const NAME_BACK_MAX = 50

/** Names of what is public, or points at something, however random it is. */
const NOT_SECRET =
  /(?:public|pub|csrf|xsrf|authenticity|cache|idempotency|partition|sort|next|page|pagination|cursor|continuation|sync|lock|update|sequence|site|object|message|translation|host|fingerprint|integrity|encrypted|hashed)[_.-]?$/i

/** What kind of key it is, in its name; a constant of the environment, or a parameter of an address. */
const KEY =
  /(?:api|access|secret|private|auth|encryption|sign\w*|master|account|shared|service|app|client|license|hmac|crypto|webhook|storage|deploy|jwt)[\s_.-]?$|[A-Z0-9]_$|[?&]$/i

/** Names under which keys are issued: digits of a digest are one there. */
const ISSUED =
  /(?:(?:api|access|secret|auth|client|signing|encryption|master|webhook|jwt|session|cookie|app)[_.-]?(?:key|token|secret)|secret[_.-]?key[_.-]?base|[?&]key)$/i

/**
 * A name that says secret, then a value that looks like one. The name alone decides nothing: most of what programs,
 * types and tests call a token or a password is none.
 */
export const assignedRules: readonly SecretRule[] = [
  {
    kind: 'password',
    words: ['passw', 'passphrase', 'pwd', 'pass'],
    find(text, from, to) {
      // `pass` and `pwd` are the beginning of many words, and parts of base64.
      if (to - from <= 4 && /^[A-Za-z]|^[_-]\w/.test(text.slice(to, to + 2))) return undefined
      const value = assignedTo(text, to, 8)
      if (!value || !isPassword(value.text, value.quoted) || !isSecretName(text, from, value))
        return undefined
      return wholeOf(text, value)
    },
  },
  {
    kind: 'secret',
    words: [
      ...['secret', 'token', 'credential', 'creds', 'authkey', 'auth', 'apikey', 'key'],
      ...['phpsessid', 'connect.sid', 'sessid'],
    ],
    find(text, from, to) {
      const isShort = to - from < 5
      // `key` in `keyboard` and `auth` in `author` are parts of other words.
      if (isShort && /^[a-z]/.test(text.charAt(to)) && !/^s\b/.test(text.slice(to, to + 2))) return undefined
      const value = assignedTo(text, to, 16)
      if (!value) return undefined
      if (value.quoted && isOfSigns(value.text))
        return isSecretName(text, from, value) ? wholeOf(text, value) : undefined
      const isHex = !isRandom(value.text)
      if (isHex && !isHexKey(value.text)) return undefined
      // What begins as a JWT is one, and was judged as a whole.
      if (!/^(?!ey[\w-]{10,}\.)[\w.=+/~%:@$!*-]+$/.test(value.text) || isExample(value.text)) return undefined
      if (to - from === 3 && !KEY.test(text.slice(Math.max(0, from - 16), from))) return undefined
      if (isHex && !ISSUED.test(text.slice(Math.max(0, nameBefore(text, from) - 1), to) + value.rest))
        return undefined
      return isSecretName(text, from, value) ? wholeOf(text, value) : undefined
    },
  },
]

interface Value extends Span {
  readonly text: string
  readonly quoted: boolean
  /** Of the name, after the word that it is found by. */
  readonly rest: string
  /** What stands between the name and the value. */
  readonly sign: string
}

/** The rest of the name, and what sets it. */
const SET =
  /[\w.-]{0,24}(?:["'`\])]{0,3}[ \t]{0,16}(?:=>|:{1,3}=?|={1,3}|\?=|\|\|=?|\?\?=?)[ \t]{0,8}(?:\s{0,40}(?=["'`]))?|["']\s{0,8},\s{0,8}(?=["'])|["'`]{0,3}>['"`=]{0,4}(?=\S))/y
/** What stands between a name and its value where nothing assigns it: structure, markup, a sentence. */
const GLUE =
  /[\w.-]{0,24}(?:["']?\s{0,20},?\s{0,20}["']?value["']?\s{0,4}[:=]\s{0,4}|<\/key>\s{0,20}<string>|"\s{0,8}\{[^{}]{0,200}?\bdefault\s{0,20}=\s{0,4}|\s{0,4}\|\s{0,4}(?=`)|:?\*\*:?\s{0,4}(?=`)|\sis:?\s{1,4}|\t(?![=:\s]))/y
/** Up to the quote that it begins with, or as far as a word goes. */
const VALUE =
  /(?:[bruf](?=["']))?(?:"[^\s"]{8,512}(?=")|'[^\s']{8,512}(?=')|`[^\s`]{8,512}(?=`)|["'`=]{0,5}[^\s'"`,;(){}[\]<>&\\]{8,128})/y
/** Of a value in no quotes that is longer than what tells whether it is a secret. */
const MORE = /[^\s'"`,;(){}[\]<>&\\]{1,4000}/y

const wholeOf = (text: string, { from, to, quoted }: Value): Span => ({
  from,
  to: to + (quoted ? 0 : (matchAt(MORE, text, to)?.[0].length ?? 0)),
})

/** The value that a name is given, if it is long enough. */
function assignedTo(text: string, to: number, least: number): Value | undefined {
  for (const setter of [SET, GLUE]) {
    setter.lastIndex = to
    if (!setter.test(text)) continue
    VALUE.lastIndex = setter.lastIndex
    if (!VALUE.test(text)) continue
    const [at, end] = [setter.lastIndex, VALUE.lastIndex]
    // What stands before a placeholder was looked at together with what was there before.
    if (end - at < least || text.startsWith('[secret:', end)) continue
    const lead = matchAt(/[bruf]?["'`=]+/y, text, at)?.[0].length ?? 0
    const set = text.slice(to, at)
    const rest = /^[\w.-]*/.exec(set)?.[0] ?? ''
    return {
      from: at + lead,
      to: end,
      text: text.slice(at + lead, end),
      quoted: /["'`]/.test(text.charAt(at + lead - 1)),
      rest,
      sign: setter === SET ? set.slice(rest.length) : '',
    }
  }
  return undefined
}

function isSecretName(text: string, from: number, { rest, sign }: Value): boolean {
  const begin = nameBefore(text, from)
  // A placeholder says secret too.
  if (text.startsWith('[secret:', from - 1)) return false
  // A part of what names a thing, as Amazon does.
  if (sign === ':' && /\barn:[\w:-]{0,50}:$/.test(text.slice(Math.max(0, begin - 60), begin))) return false
  if (NOT_SECRET.test(text.slice(begin, from)) || isNameOfDigest(rest)) return false
  // A comma only separates, but where a constant is defined; a tag ends with `>`, and so do comparisons.
  if (/^["']\s*,/.test(sign)) return /^["'][A-Z][A-Z0-9_]*$/.test(text.slice(begin - 1, from + 3))
  return !sign.startsWith('>') || text.charAt(begin - 1) === '<' || sign.length > 1
}

const nameBefore = (text: string, from: number): number =>
  from - (/[\w.-]*$/.exec(text.slice(Math.max(0, from - NAME_BACK_MAX), from))?.[0].length ?? 0)
