import { entropy, isExample, isPublished, isTemplate, looksRandom, turns } from './likely.ts'
import { matchAt, type Rule, type Span } from './rule.ts'

/** What people put where a password goes when it does not matter. */
const COMMON =
  /^(?:pass(?:word|wd)?|pw|secret|token|test|admin|root|user(?:name)?|guest|postgres|mysql|rabbitmq|redis|mongo|minio(?:admin)?|sa|example|changeit|changeme|yyy|xxx|\*+|\.+|-+)\d{0,3}$/i

const url: Rule = {
  kind: 'url-password',
  words: ['://'],
  find(text, _from, to) {
    const match = matchAt(/([^\s:/@'"`<>\\]{0,128}):([^\s/@'"`<>\\]{3,512})@([\w[.-]{1,64})/y, text, to)
    if (match) {
      const [, user = '', password = '', host = ''] = match
      if (/(?:^|\.)example\.(?:com|org|net)$/i.test(host)) return undefined
      if (isTemplate(password) || /^[$%{<]/.test(password) || COMMON.test(password) || isExample(password))
        return undefined
      if (password === user && !/\d/.test(password)) return undefined
      return { from: to + user.length + 1, to: to + user.length + 1 + password.length }
    }
    const user = matchAt(/[\w-]{20,256}(?=@[\w[])/y, text, to)?.[0]
    // Public by design: the key of a Sentry address.
    if (user === undefined || /^[0-9a-f]{32}$/.test(user)) return undefined
    return looksRandom(user) ? { from: to, to: to + user.length } : undefined
  },
}

const parameter: Rule = {
  kind: 'url-secret',
  words: ['sig=', 'signature=', 'security-token=', 'x-amz-credential='],
  find(text, from, to) {
    const before = text.slice(Math.max(0, from - 6), from)
    if (!/(?:[?&]|amz-|&amp;)$/i.test(before)) return undefined
    const value = matchAt(/[\w%+/.=~-]{20,2048}/y, text, to)?.[0]
    return value !== undefined && entropy(value) >= 3 && !isExample(value)
      ? { from: to, to: to + value.length }
      : undefined
  },
}

const authorization: Rule = {
  kind: 'authorization',
  words: ['authorization', 'bearer ', 'private-token', 'x-api-key', 'x-auth-token'],
  find(text, from, to) {
    const bare = text.charCodeAt(to - 1) === 0x20
    const lead = bare
      ? ''
      : matchAt(
          /[\s'"\\\]]{0,4}[:=,][\s'"`\\]{0,4}(?:(?:Basic|Bearer|Token|Digest|ApiKey|Api-Token|Bot|SSWS|GenieKey|Splunk|PVEAPIToken)[\s=]{1,5})?/iy,
          text,
          to,
        )?.[0]
    if (lead === undefined) return undefined
    if (bare && /authorization/i.test(text.slice(Math.max(0, from - 20), from))) return undefined
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

const option: Rule = {
  kind: 'password',
  words: [
    '--password',
    '--passwd',
    '--pass',
    '--pwd',
    '--token',
    '--secret',
    '--api-key',
    '--apikey',
    '--access-token',
    '--auth-token',
    '--client-secret',
    '--private-token',
    '--from-literal=',
  ],
  find(text, from, to) {
    const value = matchAt(/(?:[ \t]+|=)(?:(["'])([^"'\s]{4,256})\1|([^\s"'`;|&<>()\\]{4,256}))/y, text, to)
    const secret = value?.[2] ?? value?.[3]
    if (!value || secret === undefined || secret.startsWith('-') || isExample(secret) || COMMON.test(secret))
      return undefined
    const password = /pass|pwd/i.test(text.slice(from, to))
    const sound = password ? /\d|[!#%^&*+=?~]/.test(secret) && /[a-z]/i.test(secret) : looksRandom(secret)
    if (!sound || /[(){}[\]/]/.test(secret)) return undefined
    const at = to + value[0].indexOf(secret)
    return { from: at, to: at + secret.length }
  },
}

const USER =
  /(?:=|[ \t]{0,5})(?:"[^":]{0,128}:([^"]{3,256})"|'[^':]{0,128}:([^']{3,256})'|(?:"[^"]{3,128}"|'[^']{3,128}'|[\w$@.{}-]{1,128}):(?:"([^"]{3,256})"|'([^']{3,256})'|([\w${}@.~-]{3,256})))/y

const curlUser: Rule = {
  kind: 'password',
  words: [' -u', '\t-u', '\n-u', ' --user', '\t--user', '\n--user', '--proxy-user'],
  find(text, from, to) {
    const given = matchAt(USER, text, to)
    const password = given?.slice(1).find((group) => group !== undefined)
    if (!given || password === undefined || isTemplate(password) || COMMON.test(password)) return undefined
    if (
      isExample(password) ||
      !/\b(?:curl|wget|http|https)\b|curl/.test(text.slice(Math.max(0, from - 600), from))
    )
      return undefined
    const at = to + given[0].lastIndexOf(password)
    return { from: at, to: at + password.length }
  },
}

const clientPassword: Rule = {
  kind: 'password',
  words: ['sshpass', 'mysql'],
  find(text, _from, to) {
    const line = matchAt(/[^\r\n]{1,200}/y, text, to)?.[0] ?? ''
    const given = /\s-p ?["']?([^\s"'-][^\s"']{4,128})["']?(?=\s|$)/.exec(line)
    const password = given?.[1]
    if (!given || password === undefined || isExample(password) || COMMON.test(password)) return undefined
    if (!/\d|[!@#%^&*]/.test(password) || !/[a-z]/i.test(password)) return undefined
    const at = to + given.index + given[0].lastIndexOf(password)
    return { from: at, to: at + password.length }
  },
}

const netrc: Rule = {
  kind: 'password',
  words: ['password ', 'password\t'],
  find(text, from, to) {
    const words = text
      .slice(Math.max(0, from - 300), from)
      .trimEnd()
      .split(/\s+/)
      .slice(-4)
    if (words.at(-2) !== 'login' || !(words.at(-4) === 'machine' || words.at(-3) === 'default'))
      return undefined
    const password = matchAt(/\S{4,256}/y, text, to)?.[0]
    if (password === undefined || isTemplate(password) || COMMON.test(password)) return undefined
    return { from: to, to: to + password.length }
  },
}

const nuget: Rule = {
  kind: 'password',
  words: ['password"'],
  find(text, from, to) {
    if (!/<add\s+key="(?:ClearText)?$/i.test(text.slice(Math.max(0, from - 30), from))) return undefined
    const value = matchAt(/(\s{0,20}value=")([^"\s]{8,256})"/y, text, to)
    const password = value?.[2]
    if (!value || password === undefined || /^%[^%]+%$|^[$#{]/.test(password) || isPublished(password))
      return undefined
    const at = to + (value[1]?.length ?? 0)
    return { from: at, to: at + password.length }
  },
}

/** An app's id and its secret, with nothing between the name and them. */
const facebook: Rule = {
  kind: 'facebook-token',
  words: ['facebook'],
  find(text, _from, to) {
    const near = text.slice(to, to + 100)
    const match = /(?<!\d)\d{15,16}[|%][\w-]{27,40}(?![\w-])/.exec(near)
    return match ? { from: to + match.index, to: to + match.index + match[0].length } : undefined
  },
}

export const formRules: readonly Rule[] = [
  ...[url, parameter, authorization, cookie, option, curlUser, clientPassword, netrc, nuget, facebook],
]
