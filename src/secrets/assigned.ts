import { entropy, isExample, isJumble, isPublished, isSequence, looksRandom } from './likely.ts'
import { ASSIGNS } from './named.ts'
import { matchAt, type Rule, type Span } from './rule.ts'

/** Of a name, before the word that it is found by. */
const NAME_BACK_MAX = 50

/** Names of what is public, of where a secret is, or of what is said about it. */
const NOT_SECRET_PREFIX =
  /(?:public|primary|foreign|authenticity|csrf|xsrf|cache|idempotency|partition|sort|bucket|schema|sequence|host|pub|react|object|sort|group|hot|short|map|i18n|translation|message)[\w.-]*$|(?:^|[^a-z])(?:no|is|has|use|with|get|set|next|page|cursor|continuation)[_-]?$/i
const NOT_SECRET_SUFFIX =
  /(?:ids?|names?|versions?|urls?|uri|paths?|files?|dir|types?|size|len|lengths?|count|hash|sha\d*|md5|digest|checksum|fingerprint|index|idx|format|label|src|source|store|alg|algorithm|codes?|chars?|str|pair|mode|method|level|words?|board|frame|press(?:ed)?|ring|map|set|list|fields?|columns?|expir\w*|ttl|prefix|suffix|endpoint|hosts?|ports?|usage|limit|max|min|budget|s?izer|ized?|arn|ref|variable|var|env|distance|selector|signatures?|meshing|results?|source|error|events?|policy|vault|manager|tab)$/i

interface Value extends Span {
  readonly text: string
  readonly quoted: boolean
  /** The first character of what sets it. */
  readonly sign: string
}

/** A value that its name says is a password: made by people, so that most of what is no word counts. */
const passwords: Rule = {
  kind: 'password',
  words: ['passw', 'passphrase', 'pwd', 'pass', 'dbpass', 'userpass', 'sshpass', 'pgpass'],
  find(text, from, to) {
    const rest = /^(?:or)?d?s?/i.exec(text.slice(to, to + 4))?.[0] ?? ''
    // `pass` alone is the beginning and the end of many words, and what a test did.
    if (/pass$/i.test(text.slice(from, to)) && /[A-Za-z_-]/.test(text.charAt(to))) return undefined
    if (to - from === 4 && /(?:[a-z]pass|[^_]PASS|^PASS)$/.test(text.slice(Math.max(0, from - 1), to)))
      return undefined
    const value = assignedValue(text, from, to + rest.length)
    return value && isPassword(value) ? spanOf(value) : undefined
  },
}

/** A value that its name says is a key: made by machines. */
const keys: Rule = {
  kind: 'secret',
  words: [
    ...['secret', 'token', 'credential', 'creds', 'authkey', 'auth', 'apikey', 'api_key', 'api-key', 'key'],
    ...['sessionid', 'session_id', 'phpsessid', 'connect.sid', 'sessid', '_pat'],
  ],
  find(text, from, to) {
    const word = text.slice(from, to).toLowerCase()
    if (!standsAlone(text, from, to, word)) return undefined
    const value = assignedValue(text, from, to)
    if (!value || !/^[\w.=+/~%:@$!*-]{10,}$/.test(value.text)) return undefined
    if (isExample(value.text) || isPublished(value.text)) return undefined
    if (word === 'auth') return isRandomKey(value.text) && value.text.length >= 16 ? spanOf(value) : undefined
    if (word === 'key' && !isNamedKey(text.slice(Math.max(0, from - 14), from)))
      return value.quoted && isRandomKey(value.text) && value.text.length >= 24 && entropy(value.text) >= 4
        ? spanOf(value)
        : undefined
    return isRandomKey(value.text) ? spanOf(value) : undefined
  },
}

/** What kind of key it is, in its name; a constant of the environment, or a parameter of an address. */
const isNamedKey = (before: string): boolean =>
  /(?:api|access|secret|private|auth|encrypt\w*|sign\w*|master|account|shared|service|app|client|license|hmac|crypto|webhook|storage)[\s_.-]?$/i.test(
    before,
  ) || /[A-Z]_$|[?&]$/.test(before)

export const assignedRules: readonly Rule[] = [passwords, keys]

const spanOf = ({ from, to }: Value): Span => ({ from, to })

/** `key` in `monkey` and `auth` in `author` are parts of other words. */
function standsAlone(text: string, from: number, to: number, word: string): boolean {
  if (word === '_pat') return /^_PAT[^A-Za-z_]/.test(text.slice(from, to + 1))
  if (word !== 'key' && word !== 'auth') return true
  const before = text.charAt(from - 1)
  const after = text.charAt(to)
  const upper = /[A-Z]/.test(text.charAt(from))
  const known =
    /(?:api|access|secret|private|auth|encryption|signing|master|account|shared|service|license)$/i
  if (/[a-z]/i.test(before) && !upper && !known.test(text.slice(Math.max(0, from - 12), from))) return false
  return !/[a-z]/.test(after) || /^s?[^a-z]/.test(text.slice(to, to + 2))
}

/** What the name that ends after `to` is set to, if its name allows that it is a secret. */
function assignedValue(text: string, from: number, to: number): Value | undefined {
  let begin = from
  while (begin > 0 && from - begin < NAME_BACK_MAX && isNamePart(text.charCodeAt(begin - 1))) begin--
  const glue = glueAt(text, begin, from, to)
  const assigns = glue ?? matchAt(ASSIGNS, text, to)?.[0]
  if (assigns === undefined) return undefined
  if (NOT_SECRET_PREFIX.test(text.slice(begin, from)) && !glue?.startsWith('(')) return undefined
  // A comma separates; what it separates are name and value only where a constant is defined, or has a default.
  if (glue === undefined && assigns.includes(',') && !isConstant(text, begin, to)) return undefined
  const sign = glue === undefined ? assigns.search(/[=>:|?,]/) : assigns.length
  const rest = assigns.slice(0, sign).replace(/[^\w]+$/, '')
  const setter = assigns.slice(sign)
  if (NOT_SECRET_SUFFIX.test(rest) && glue === undefined) return undefined
  if (/[\r\n]|\\[nr]/.test(setter)) return undefined
  const at = to + assigns.length
  const quoted = matchAt(patternOf(assigns), text, at)?.[0]
  const found = quoted ?? matchAt(UNQUOTED, text, at)?.[0]
  if (found === undefined) return undefined
  // A comparison sets nothing, a comma only separates, and `>` ends a tag or is none of it.
  const tag = text.charAt(begin - 1) === '<'
  if (quoted === undefined && (/^(?:,|={2,3}[^=]|=~)/.test(setter) || (setter === '>' && !tag)))
    return undefined
  const end = at + found.length
  const ends = glue === undefined ? /^(?:[\s'"`;<&]|\\|$)/ : /^(?:[\s'"`;<&,)]|\\|$)/
  if (quoted === undefined && !ends.test(text.charAt(end))) return undefined
  return { from: at, to: end, text: found, quoted: quoted !== undefined, sign: setter.charAt(0) }
}

/** `'DB_PASSWORD', '…'` of a call. */
const isConstant = (text: string, begin: number, to: number): boolean =>
  /^["'][A-Z][A-Z0-9_]*["']/.test(text.slice(begin - 1, to + 1))

/** What stands between a name and its value where nothing assigns it: structure, markup, a sentence, a call. */
const GLUE =
  /["']?\s{0,20},?\s{0,20}["']?value["']?\s{0,4}[:=]\s{0,4}["']?|<\/key>\s{0,20}<string>|"\s{0,8}\{[^{}]{0,200}?\bdefault\s{0,20}=\s{0,4}"|\s{0,4}\|\s{0,4}`|:?\*\*:?\s{0,4}`|\sis:?\s{1,4}["'`]?|\t(?![=:\s])/y

function glueAt(text: string, begin: number, from: number, to: number): string | undefined {
  const glue = matchAt(GLUE, text, to)?.[0]
  if (glue !== undefined) return glue
  const before = text.slice(Math.max(0, begin - 12), begin)
  // `ENV NAME value`, `set -x NAME value`
  if (/(?:^|\s)(?:ENV|set -\w+|setx|setenv)\s+$/.test(before)) return matchAt(/[ \t]+["']?/y, text, to)?.[0]
  return /^(?:.*[._])?set_?$/i.test(text.slice(begin, from))
    ? matchAt(/\(\s{0,4}["']/y, text, to)?.[0]
    : undefined
}

/** A letter, a digit, `_`, `.` or `-`. */
const isNamePart = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 46 ||
  code === 45

const DOUBLE = /[^\s"\\]{4,512}(?=\\?")/y
const SINGLE = /[^\s'\\]{4,512}(?=\\?')/y
const BACKTICK = /[^\s`\\]{4,512}(?=\\?`)/y
const NEVER = /(?!)/y
const UNQUOTED = /[^\x00-\x20'"`,;(){}[\]<>&\\\x7f]{4,512}/y

/** By the quote that stands right before the value. */
function patternOf(setter: string): RegExp {
  if (setter.endsWith('"')) return DOUBLE
  if (setter.endsWith("'")) return SINGLE
  return setter.endsWith('`') ? BACKTICK : NEVER
}

const isRandomKey = (value: string): boolean => looksRandom(value) && !isPathOrCode(value)

const WORDS_AND_DIGITS =
  /^(?:my|the|test|tests?ing|pass|word|pw|pwd|passwd|admin|root|user|name|guest|secret|demo|foo|bar|baz|abc|qwerty|letmein|default|old|new|wrong|bad|good|valid|invalid|strong|weak|some|super|correct|hash|hashed|encoded|plain|token|key|pg|postgres|mysql|mongo|redis|\d|[_\W])+$/i

function isPassword({ text, quoted }: Value): boolean {
  if (text.length < 6 || isExample(text) || isPathOrCode(text) || WORDS_AND_DIGITS.test(text)) return false
  if (isPublished(text) || entropy(text) < 2.2 || isSequence(text)) return false
  const digit = /\d/.test(text)
  const special = /[!@#$%^&*+=?~|]/.test(text)
  if (isJumble(text)) return true
  if (!/[A-Za-z]/.test(text) || !(digit || special)) return false
  // A name of a variable is no password: `password = input2`.
  return quoted || special || looksRandom(text) || !/^[A-Za-z_]+\d{1,3}$/.test(text)
}

/** A path, an address, a name with dots, a call, a type, a format. */
const isPathOrCode = (value: string): boolean =>
  !/^[A-Za-z0-9+/]{40,}={1,2}$/.test(value) && isPathLike(value)

const isPathLike = (value: string): boolean =>
  /^(?:~?\.{0,2}\/|[a-z]+:\/\/|[A-Za-z]:\\|--?[a-z])/i.test(value) ||
  /^[*&]?[A-Za-z_$][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$-]*)+$/.test(value) ||
  (/^[\w.-]+(?:\/[\w.-]+)+$/.test(value) && !looksRandom(value)) ||
  /[A-Za-z_]\w*\(|=>|\.(?:com|org|net|io|json|ya?ml|pem|py|js|ts|txt|key|crt)$/.test(value) ||
  /^\d+(?:\.\d+)*(?:[a-z%]{1,3})?$|^0x[\da-f]{1,40}$|^!/i.test(value) ||
  /^\d{4}-\d\d-\d\d/.test(value)
