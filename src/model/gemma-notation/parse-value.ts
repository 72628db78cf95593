import { type Json, tryParse } from '../../event/json.ts'
import { JSON_DEPTH_MAX } from '../../limits.ts'
import { ESCAPE } from './tokens.ts'

/** Where reading stopped and why; `cut` when more text could have made it whole. */
export class Unreadable extends Error {
  readonly cut: boolean

  constructor(message: string, cut = false) {
    super(message)
    this.cut = cut
  }
}

/** Reads values of FunctionGemma's notation from one text, left to right. Time is linear in its length. */
export class ValueReader {
  readonly #text: string
  #at = 0
  /** Strings that stood without their `<escape>`s. */
  words = 0

  constructor(text: string, at = 0) {
    this.#text = text
    this.#at = at
  }

  /** What stands after the last value. */
  get rest(): string {
    return this.#text.slice(this.#at)
  }

  value(depth = 0): Json {
    if (depth > JSON_DEPTH_MAX) throw new Unreadable(`a value is nested deeper than ${JSON_DEPTH_MAX}`)
    this.#space()
    if (this.#text.startsWith(ESCAPE, this.#at)) return this.#escaped()
    switch (this.#text[this.#at]) {
      case '{':
        return this.object(depth)
      case '[':
        return this.#list(depth)
      case '"':
        return this.#quoted()
      default:
        return this.#bare()
    }
  }

  object(depth = 0): { [key: string]: Json } {
    const fields: [string, Json][] = []
    this.#separated('{', '}', () => {
      const key = this.#key()
      this.#space()
      if (this.#text[this.#at] !== ':') throw this.#unreadable(`no colon after "${key.slice(0, 40)}"`)
      this.#at++
      fields.push([key, this.value(depth + 1)])
    })
    // fromEntries defines own properties, so a key named __proto__ stays a key.
    return Object.fromEntries(fields)
  }

  #list(depth: number): Json[] {
    const items: Json[] = []
    this.#separated('[', ']', () => items.push(this.value(depth + 1)))
    return items
  }

  #separated(open: string, close: string, item: () => void): void {
    this.#space()
    if (this.#text[this.#at] !== open) throw this.#unreadable(`no "${open}"`)
    this.#at++
    for (;;) {
      this.#space()
      if (this.#text[this.#at] === close) break
      item()
      this.#space()
      if (this.#text[this.#at] === ',') this.#at++
      else if (this.#text[this.#at] !== close)
        throw this.#unreadable(`neither "," nor "${close}" after a value`)
    }
    this.#at++
  }

  #key(): string {
    if (this.#text.startsWith(ESCAPE, this.#at)) return this.#escaped()
    if (this.#text[this.#at] === '"') return this.#quoted()
    return this.#upTo(':,{}[]<')
  }

  #escaped(): string {
    const from = this.#at + ESCAPE.length
    const end = this.#text.indexOf(ESCAPE, from)
    if (end < 0) throw new Unreadable('a string without its closing <escape>', true)
    this.#at = end + ESCAPE.length
    return this.#text.slice(from, end)
  }

  /** Not part of the notation, but what models fall back to. */
  #quoted(): string {
    for (let end = this.#at + 1; end < this.#text.length; end++) {
      if (this.#text[end] === '\\') end++
      else if (this.#text[end] === '"') {
        const parsed = tryParse(this.#text.slice(this.#at, end + 1))
        if (typeof parsed !== 'string') throw this.#unreadable('a quoted string that is not JSON')
        this.#at = end + 1
        return parsed
      }
    }
    throw new Unreadable('a quoted string without its end', true)
  }

  #bare(): Json {
    const word = this.#upTo(',}]{[<')
    if (word === '') throw this.#unreadable('no value')
    const known = WORDS.get(word)
    if (known !== undefined) return known
    if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(word)) return this.#word(word)
    const number = Number(word)
    return Number.isFinite(number) ? number : this.#word(word)
  }

  #word(word: string): string {
    this.words++
    return word
  }

  #upTo(stops: string): string {
    const from = this.#at
    while (this.#at < this.#text.length && !stops.includes(this.#text.charAt(this.#at))) this.#at++
    return this.#text.slice(from, this.#at).trim()
  }

  #space(): void {
    while (' \n\t\r'.includes(this.#text[this.#at] ?? '.')) this.#at++
  }

  #unreadable(what: string): Unreadable {
    return new Unreadable(`${what}, at character ${this.#at + 1}`, this.#at >= this.#text.length)
  }
}

/** Python's words too: models fall back to them. */
const WORDS = new Map<string, Json>(
  Object.entries({ true: true, false: false, null: null, True: true, False: false, None: null }),
)
