/** What a recorded decision used and could only have known from earlier tool output. */

const NAME = /[A-Za-z_$][\w$]*(?:[./:-]+[\w$]+)+|[A-Za-z_$][\w$]{3,}|\d{2,}/g
const STRUCTURED = /[._/:$\d-]|[a-z][A-Z]|[A-Z]{2}/
const PLAIN = new Set(
  'test tests file files path code data name type value list src lib bin usr home repo http https www com'.split(
    ' ',
  ),
)

/** Paths, identifiers and numbers in lower case; a path counts by its last part too. */
export function namesOf(text: string, structured = false): Set<string> {
  const names = new Set<string>()
  for (const [written] of text.matchAll(NAME)) {
    if (structured && !STRUCTURED.test(written)) continue
    const name = written.toLowerCase()
    if (!PLAIN.has(name)) names.add(name)
    const last = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf(':')) + 1)
    if (last !== name && last.length > 3 && !PLAIN.has(last)) names.add(last)
  }
  return names
}

export type Kind = 'path' | 'identifier' | 'number'

export const kindOf = (name: string): Kind =>
  /^\d+$/.test(name) ? 'number' : name.includes('/') || /\.[a-z]{1,4}$/.test(name) ? 'path' : 'identifier'

/** One action of a recording, as text. */
export interface Action {
  readonly turn: number
  readonly call: string
  readonly args: string
  readonly output: string
}

/** The state of knowledge before one decision. */
export interface Decision {
  /** The turn whose view the decision was made on. */
  readonly turn: number
  /** Never used in a call before. */
  readonly needed: readonly string[]
  /** Used in a call before. */
  readonly repeated: readonly string[]
  /** How many actions had been taken. */
  readonly actions: number
}

export function decisionsOf(task: string, actions: readonly Action[]): Decision[] {
  const given = namesOf(task)
  const seen = new Set<string>()
  const said = new Set<string>()
  return actions.slice(0, -1).map((action, at) => {
    for (const name of namesOf(action.output)) seen.add(name)
    for (const name of namesOf(action.args)) said.add(name)
    const next = [...namesOf(actions[at + 1]?.args ?? '', true)].filter(
      (name) => seen.has(name) && !given.has(name),
    )
    return {
      turn: action.turn,
      needed: next.filter((name) => !said.has(name)),
      repeated: next.filter((name) => said.has(name)),
      actions: at + 1,
    }
  })
}
