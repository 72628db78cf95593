import type { Json } from '../../event/json.ts'
import type { History, TurnEnd } from '../history.ts'
import { type Leaf, valueAt } from './leaves.ts'

/** A field of an event that a value comes from. */
export interface Origin {
  readonly seq: number
  /** JSON pointer into the event, as `show --event` prints it. */
  readonly field: string
  /** What of the value comes from here; all of it unless given. */
  readonly part?: string
  /** Added up over several events, or stated by the view: the field does not hold the value itself. */
  readonly counted?: boolean
}

/** What finding the origins of a leaf takes. */
export interface Asked {
  readonly leaf: Leaf
  readonly end: TurnEnd
  readonly history: History
}

/** The item of a list that a leaf belongs to. */
export const itemOf = ({ leaf, end }: Asked): Json | undefined =>
  valueAt(end.packet as Json, leaf.path.slice(0, 2))
