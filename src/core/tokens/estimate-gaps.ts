/**
 * What the estimate looks at between two characters of a run (a word, or a row of punctuation): the letters
 * around the gap, their case, its place in the run. Each observation is hashed to a slot of the weight table, so
 * fitting (`bench/fit-estimate.ts`) and counting share this file and nothing else.
 */

export const SLOTS = 1 << 15
export const OBSERVATIONS = 8

const PLACE_MAX = 9
const REPEAT_MAX = 8

const slot = (observation: number, key: number): number => {
  const mixed = Math.imul(key ^ (observation << 21), 0x9e3779b1)
  return Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b) >>> 17
}

/** Lower case 1, upper case 2, outside the run 0, anything else 3. */
const caseOf = (code: number): number => {
  if (code >= 97 && code <= 122) return 1
  if (code >= 65 && code <= 90) return 2
  return code === 0 ? 0 : 3
}

/**
 * Writes the slots of the gap before `text[at]`, within the run `[start, end)`, into `slots`. The run is ASCII
 * and may begin with one space; `repeated` is how often `text[at]` stands directly before the gap.
 */
export const observeGap = (
  text: string,
  start: number,
  end: number,
  at: number,
  repeated: number,
  slots: Int32Array,
): void => {
  const left3 = at - 3 >= start ? text.charCodeAt(at - 3) : 0
  const left2 = at - 2 >= start ? text.charCodeAt(at - 2) : 0
  const left = text.charCodeAt(at - 1)
  const right = text.charCodeAt(at)
  const right2 = at + 1 < end ? text.charCodeAt(at + 1) : 0
  const right3 = at + 2 < end ? text.charCodeAt(at + 2) : 0
  const cases = (caseOf(left) << 2) | caseOf(right)
  const place = (Math.min(at - start, PLACE_MAX) << 4) | Math.min(end - at, PLACE_MAX)
  const spaced = text.charCodeAt(start) === 32 ? 1 : 0
  slots[0] = slot(0, (left << 7) | right)
  slots[1] = slot(1, (left2 << 14) | (left << 7) | right)
  slots[2] = slot(2, (left << 14) | (right << 7) | right2)
  slots[3] = slot(3, (left3 << 14) | (left2 << 7) | left)
  slots[4] = slot(4, (right << 14) | (right2 << 7) | right3)
  slots[5] = slot(5, (place << 5) | (cases << 1) | spaced)
  slots[6] = slot(6, (right << 4) | Math.min(repeated, REPEAT_MAX))
  slots[7] = slot(
    7,
    (caseOf(left3) << 10) | (caseOf(left2) << 8) | (cases << 4) | (caseOf(right2) << 2) | caseOf(right3),
  )
}
