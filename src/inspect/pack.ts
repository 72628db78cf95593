/**
 * Answers as a list of nodes, each stored once: the same line stands in a hundred packets, in an output and in the chat.
 * A node is a text or a number as it is, or names others by their place: a list `[…]`, `{"l": […]}` for a text of several
 * lines, `{"k": names, "v": values}` for fields.
 */
export class Packer {
  readonly nodes: unknown[] = []
  readonly #known = new Map<string, number>()

  /** The place of a value. */
  add(value: unknown): number {
    if (typeof value === 'string') {
      if (!value.includes('\n')) return this.#place(value)
      return this.#place({ l: value.split('\n').map((line) => this.#place(line)) })
    }
    if (Array.isArray(value)) return this.#place(value.map((one) => this.add(one)))
    if (typeof value !== 'object' || value === null) return this.#place(value ?? null)
    const fields = Object.entries(value).filter(([, one]) => one !== undefined)
    const names = this.#place(fields.map(([name]) => this.#place(name)))
    return this.#place({ k: names, v: fields.map(([, one]) => this.add(one)) })
  }

  #place(node: unknown): number {
    const text = JSON.stringify(node)
    const known = this.#known.get(text)
    if (known !== undefined) return known
    this.#known.set(text, this.nodes.length)
    return this.nodes.push(node) - 1
  }
}
