/** What raw outputs said and packets did not show when it mattered. */
export interface BlindSpots {
  readonly agent_id: string
  readonly decisions: number
  /** Decisions that were made without something that raw output had said. */
  readonly blind: number
  /** Names that calls used and that only raw output could have told them; and those that the packet did not show. */
  readonly names_needed: number
  readonly names_missed: number
  /** Pieces of raw output, mostly one line each, that decisions were made without; the worst first. */
  readonly spots: readonly {
    /** The turn whose calls were chosen without it. */
    readonly turn: number
    /** The event whose raw output says it, and the line, from 1; the last of several that stand together. */
    readonly seq: number
    readonly line: number
    readonly to_line: number
    /** The line, or of several the one that says most. */
    readonly text: string
    readonly kind: 'error' | 'failing_test' | 'place' | 'exit_code' | 'path' | 'name' | 'number'
    /** What later calls named of it, as it is written here; empty for a line that matters by itself. */
    readonly names: readonly string[]
    /** What came of it: a call that needed it failed, asked for the same again, or named it; or the calls after it failed. */
    readonly harm: readonly {
      readonly kind: 'call_failed' | 'asked_again' | 'named' | 'failed_after'
      readonly turn: number
      /** The call. */
      readonly seq: number
    }[]
    /**
     * Why a packet did not show it. `summarizer`: the delta does not hold it. `cap`: the state held it once and had to let
     * it go. `replaced`: a later event put something else in its place. `view`: it was in the state, and the view did not
     * show it within the limit of the packet.
     */
    readonly blame:
      | { readonly by: 'summarizer'; readonly name: string; readonly version?: string }
      | { readonly by: 'cap' | 'replaced' | 'view'; readonly name: string }
    /** The higher, the more harm. */
    readonly score: number
  }[]
  /** Results whose raw output was pruned: what they said can't be known. */
  readonly pruned: number
}

export type Spot = BlindSpots['spots'][number]
export type SpotKind = Spot['kind']
export type Harm = Spot['harm'][number]
export type Blame = Spot['blame']

/** One decision that was made without something that raw output had said. */
export interface BlindDecision {
  readonly turn: number
  readonly spots: readonly Spot[]
}

const HARM: Readonly<Record<Harm['kind'], number>> = {
  call_failed: 60,
  asked_again: 50,
  named: 40,
  failed_after: 40,
}
const KIND: Readonly<Record<SpotKind, number>> = {
  error: 20,
  failing_test: 18,
  place: 16,
  exit_code: 14,
  path: 10,
  name: 6,
  number: 0,
}
/** A name that no call had used before can only have come from that output. */
const NEW_NAME = 15
const PER_NAME = 2
const NAMES_MAX = 5
const PER_DECISION = 5
const DECISIONS_MAX = 6

/** Without any harm it is the kind alone that ranks it. */
export function scoreOf(
  { kind, names, harm }: Pick<Spot, 'kind' | 'names' | 'harm'>,
  isNew: boolean,
): number {
  const worst = Math.max(0, ...harm.map((one) => HARM[one.kind]))
  return worst + KIND[kind] + (isNew ? NEW_NAME : 0) + Math.min(names.length, NAMES_MAX) * PER_NAME
}

export const byScore = (a: Spot, b: Spot): number =>
  b.score - a.score || a.turn - b.turn || a.seq - b.seq || a.line - b.line

/** Spots of several decisions as one each, where they are the same line; the more decisions, the more harm. */
export const mergedSpots = (spots: readonly Spot[]): Spot[] =>
  [...Map.groupBy(spots, ({ seq, line }) => `${seq} ${line}`).values()]
    .flatMap((same) => {
      const [worst, ...others] = same.sort(byScore)
      if (!worst || others.length === 0) return same
      return [
        {
          ...worst,
          to_line: Math.max(...same.map(({ to_line }) => to_line)),
          names: [...new Set(same.flatMap(({ names }) => names))],
          harm: same.flatMap(({ harm }) => harm).sort((a, b) => a.seq - b.seq),
          score: worst.score + Math.min(others.length, DECISIONS_MAX) * PER_DECISION,
        },
      ]
    })
    .sort(byScore)

export const blameText = (blame: Blame): string => {
  switch (blame.by) {
    case 'summarizer':
      return `summarizer ${blame.name}${blame.version === undefined ? '' : ` ${blame.version}`}`
    case 'cap':
      return `cap ${blame.name}`
    case 'replaced':
      return `replaced in ${blame.name}`
    case 'view':
      return `view, ${blame.name}`
  }
}
