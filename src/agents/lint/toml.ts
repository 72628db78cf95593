import { TwotrackError } from '../../errors.ts'
import { isObject, type Json, type JsonObject } from '../../event/json.ts'

const DEPTH_MAX = 32
const BARE_KEY = /^[A-Za-z0-9_-]+$/
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\x1b',
  '"': '"',
  '\\': '\\',
}

/**
 * Reads TOML 1.0 as configuration files use it: tables, arrays of tables, dotted keys, all kinds of strings,
 * numbers, booleans, arrays, inline tables. Dates are kept as their text. Throws `bad_config` with the line.
 */
export function parseToml(text: string): JsonObject {
  return new Toml(text.replaceAll('\r\n', '\n')).document()
}

class Toml {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text.startsWith('\uFEFF') ? text.slice(1) : text
  }

  document(): JsonObject {
    const root: JsonObject = {}
    let table = root
    for (this.#blank(true); this.#at < this.#text.length; this.#blank(true)) {
      if (this.#take('[[')) table = this.#appended(root, this.#key(']]'))
      else if (this.#take('[')) table = this.#opened(root, this.#key(']'))
      else this.#pair(table)
      this.#blank(false)
      if (this.#at < this.#text.length && !this.#take('\n')) throw this.#flaw('expected the end of the line')
    }
    return root
  }

  #pair(table: JsonObject, depth = 0): void {
    const key = this.#key('=')
    const name = key.pop() ?? ''
    const holder = this.#opened(table, key)
    if (Object.hasOwn(holder, name)) throw this.#flaw(`${name} is set twice`)
    this.#blank(false)
    define(holder, name, this.#value(depth))
  }

  /** A dotted key up to and with what ends it. */
  #key(end: string): string[] {
    const parts: string[] = []
    for (;;) {
      this.#blank(false)
      const quote = this.#text[this.#at]
      parts.push(quote === '"' || quote === "'" ? this.#string(quote) : this.#bare())
      this.#blank(false)
      if (this.#take(end)) return parts
      if (!this.#take('.')) throw this.#flaw(`expected ${end}`)
    }
  }

  #bare(): string {
    const word = this.#word()
    if (!BARE_KEY.test(word)) throw this.#flaw('expected a key')
    return word
  }

  /** Characters up to one that can't be part of a bare key or of a number. */
  #word(dots = ''): string {
    const from = this.#at
    while (this.#at < this.#text.length) {
      const next = this.#text[this.#at] ?? ''
      if (!/[A-Za-z0-9_-]/.test(next) && !dots.includes(next)) break
      this.#at++
    }
    return this.#text.slice(from, this.#at)
  }

  #value(depth: number): Json {
    if (depth > DEPTH_MAX) throw this.#flaw(`nested deeper than ${DEPTH_MAX}`)
    const first = this.#text[this.#at]
    if (first === '"' || first === "'") return this.#string(first)
    if (this.#take('[')) return this.#array(depth)
    if (this.#take('{')) return this.#inlineTable(depth)
    const word = this.#word('.+:')
    if (word === 'true' || word === 'false') return word === 'true'
    const digits = word.replaceAll('_', '')
    if (/^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(digits) || /^0[xob][0-9a-fA-F]+$/.test(digits))
      return Number(digits)
    if (/^\d{4}-|^\d\d:|^[+-]?(?:inf|nan)$/.test(word)) return word
    throw this.#flaw('expected a value')
  }

  #array(depth: number): Json[] {
    const items: Json[] = []
    for (;;) {
      this.#blank(true)
      if (this.#take(']')) return items
      items.push(this.#value(depth + 1))
      this.#blank(true)
      if (this.#take(']')) return items
      if (!this.#take(',')) throw this.#flaw('expected , or ]')
    }
  }

  #inlineTable(depth: number): JsonObject {
    const table: JsonObject = {}
    for (;;) {
      this.#blank(true)
      if (this.#take('}')) return table
      this.#pair(table, depth + 1)
      this.#blank(true)
      if (this.#take('}')) return table
      if (!this.#take(',')) throw this.#flaw('expected , or }')
    }
  }

  #string(quote: '"' | "'"): string {
    const long = this.#text.startsWith(quote.repeat(3), this.#at)
    const mark = long ? quote.repeat(3) : quote
    this.#at += mark.length
    if (long) this.#take('\n')
    let value = ''
    while (this.#at < this.#text.length) {
      const next = this.#text[this.#at] ?? ''
      if (this.#text.startsWith(mark, this.#at)) {
        this.#at += mark.length
        // Up to two quotes may stand directly before the closing ones.
        while (long && this.#take(quote)) value += quote
        return value
      }
      if (next === '\n' && !long) break
      this.#at++
      value += quote === '"' && next === '\\' ? this.#escape() : next
    }
    throw this.#flaw('a text is not closed')
  }

  #escape(): string {
    const next = this.#text[this.#at++] ?? ''
    const digits = { x: 2, u: 4, U: 8 }[next]
    if (digits !== undefined) {
      const code = Number.parseInt(this.#text.slice(this.#at, this.#at + digits), 16)
      this.#at += digits
      if (!(code <= 0x10ffff)) throw this.#flaw('a bad escape')
      return String.fromCodePoint(code)
    }
    if (next === ' ' || next === '\t' || next === '\n') {
      while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++
      return ''
    }
    const escaped = ESCAPES[next]
    if (escaped === undefined) throw this.#flaw(`unknown escape \\${next}`)
    return escaped
  }

  #opened(root: JsonObject, key: readonly string[]): JsonObject {
    let table = root
    for (const part of key) {
      const there = Object.hasOwn(table, part) ? table[part] : undefined
      const inner = Array.isArray(there) ? there.at(-1) : (there ?? define(table, part, {}))
      if (!isObject(inner)) throw this.#flaw(`${part} is not a table`)
      table = inner as JsonObject
    }
    return table
  }

  #appended(root: JsonObject, key: string[]): JsonObject {
    const name = key.pop() ?? ''
    const holder = this.#opened(root, key)
    const there = Object.hasOwn(holder, name) ? holder[name] : define(holder, name, [])
    if (!Array.isArray(there)) throw this.#flaw(`${name} is not an array of tables`)
    const table: JsonObject = {}
    there.push(table)
    return table
  }

  #blank(lines: boolean): void {
    for (;;) {
      const next = this.#text[this.#at]
      if (next === '#') while (this.#at < this.#text.length && this.#text[this.#at] !== '\n') this.#at++
      else if (next === ' ' || next === '\t' || (lines && next === '\n')) this.#at++
      else return
    }
  }

  #take(mark: string): boolean {
    if (!this.#text.startsWith(mark, this.#at)) return false
    this.#at += mark.length
    return true
  }

  #flaw(what: string): TwotrackError {
    const line = this.#text.slice(0, this.#at).split('\n').length
    return new TwotrackError('bad_config', `line ${line}: ${what}`, { details: { line } })
  }
}

/** Sets an own field, also one named like something that every object has. */
function define<Value extends Json>(holder: JsonObject, name: string, value: Value): Value {
  Object.defineProperty(holder, name, { value, enumerable: true, writable: true, configurable: true })
  return value
}
