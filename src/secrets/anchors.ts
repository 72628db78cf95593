/**
 * Finds many words in a text at once, whatever their case: one step a character, however many words there are
 * (Aho and Corasick, 1975). Every rule of the detector begins at a word found here, so that ordinary text costs one
 * table look-up a character.
 */
export interface Anchors<T> {
  /** Calls `found` at the end of each word, in order of their ends. */
  each(text: string, found: (owner: T, from: number, to: number) => void): void
}

const OTHER = 0

export function anchorsOf<T>(words: readonly (readonly [word: string, owner: T])[]): Anchors<T> {
  const classes = classesOf(words.map(([word]) => word))
  const width = Math.max(...classes) + 1
  const children: Map<number, number>[] = [new Map()]
  const ends: { owner: T; length: number }[][] = [[]]
  for (const [word, owner] of words) {
    let node = 0
    for (let at = 0; at < word.length; at++) {
      const step = classes[word.charCodeAt(at)] ?? OTHER
      let next = children[node]?.get(step)
      if (next === undefined) {
        next = children.push(new Map()) - 1
        ends.push([])
        children[node]?.set(step, next)
      }
      node = next
    }
    ends[node]?.push({ owner, length: word.length })
  }
  const next = transitions(children, ends, width)
  const hits = Uint8Array.from(ends, (end) => (end.length > 0 ? 1 : 0))
  return {
    each(text, found) {
      for (let at = 0, node = 0; at < text.length; at++) {
        const code = text.charCodeAt(at)
        node = next[node * width + (code < 128 ? (classes[code] ?? OTHER) : OTHER)] ?? 0
        if (hits[node] === 0) continue
        for (const { owner, length } of ends[node] ?? []) found(owner, at + 1 - length, at + 1)
      }
    },
  }
}

/** A number for each character that a word holds, upper and lower case the same; 0 for all others. */
function classesOf(words: readonly string[]): Uint8Array {
  const classes = new Uint8Array(128)
  let count = 0
  for (const letter of words.join('').toLowerCase()) {
    const code = letter.charCodeAt(0)
    if (classes[code]) continue
    classes[code] = ++count
    classes[letter.toUpperCase().charCodeAt(0)] = count
  }
  return classes
}

/** Where each node goes on each character: down the tree, or to the longest suffix that goes on. */
function transitions<T>(
  children: readonly Map<number, number>[],
  ends: { owner: T; length: number }[][],
  width: number,
): Uint16Array {
  const next = new Uint16Array(children.length * width)
  const suffix = new Uint16Array(children.length)
  const queue: number[] = []
  for (const [step, child] of children[0] ?? []) {
    next[step] = child
    queue.push(child)
  }
  for (const node of queue) {
    const shorter = suffix[node] ?? 0
    ends[node]?.push(...(ends[shorter] ?? []))
    for (let step = 0; step < width; step++) {
      const child = children[node]?.get(step)
      const other = next[shorter * width + step] ?? 0
      if (child === undefined) next[node * width + step] = other
      else {
        next[node * width + step] = child
        suffix[child] = other
        queue.push(child)
      }
    }
  }
  return next
}
