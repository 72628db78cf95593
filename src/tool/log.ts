import { TOOL_LOG_CHARS_MAX } from '../limits.ts'

/** What a tool said while it ran, for people: kept with its result, bounded, never shown to a model. */
export class ToolLog {
  #text = ''

  /** A line; what is past the limit is left out. */
  add(line: string): void {
    const text = this.#text === '' ? line : `${this.#text}\n${line}`
    this.#text = text.slice(0, TOOL_LOG_CHARS_MAX)
  }

  get text(): string {
    return this.#text
  }
}
