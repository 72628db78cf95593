import type { Delta } from '../../event/delta.ts'
import type { Json } from '../../event/json.ts'
import type { Packet } from '../../packet/packet.ts'
import type { Sourced, State } from '../../packet/state.ts'
import type { TurnEnd } from '../history.ts'
import type { Leaf } from './leaves.ts'

/** A value as the state holds it. */
interface Held {
  readonly ref: number
  readonly value: Json
}

/** A value as a packet shows it. */
interface Shown {
  readonly section: string
  readonly text: string
}

/** The place of one thing over many turns, wherever the packet shows it: a fact by its key, a step by its event. */
export interface Slot {
  held(state: State): Held | undefined
  shown(packet: Packet): Shown | undefined
  /** Whether an event takes it away on purpose. */
  removes(delta: Delta): boolean
  /** The caps of the state that may push it out. */
  readonly caps: readonly string[]
}

const never = (): boolean => false
const of = <T extends Json>(sourced: Sourced<T> | null | undefined): Held | undefined =>
  sourced ? { ref: sourced.ref, value: sourced.value } : undefined

/** Undefined for what stands in any case: goal, rules, task, counters. */
export function slotOf(leaf: Leaf, { packet, state }: TurnEnd): Slot | undefined {
  const [section = '', second = ''] = leaf.path
  switch (section) {
    case 'earlier':
    case 'recent_actions': {
      const step = packet[section][Number(second)]
      return step && (step.tool === '' ? wordsSlot('thoughts', step.ref) : actionSlot(step.ref, leaf.path[2]))
    }
    case 'thoughts':
    case 'person': {
      const said = packet[section][Number(second)]
      return said && wordsSlot(section, said.ref)
    }
    case 'plan': {
      const item = packet.plan[Number(second)]
      const known = item && state.plan.find(({ ref, text }) => ref === item.ref && text === item.text)
      return known && planSlot(known.id, known.text)
    }
    case 'knowledge':
      return factSlot(second)
    case 'files': {
      const file = packet.files[Number(second)]
      return file && fileSlot(file.path)
    }
    case 'diagnostics':
      return lineSlot('diagnostics', String(leaf.value), ({ add_diagnostics = [] }) =>
        add_diagnostics.includes(null),
      )
    case 'failed_attempts':
      return lineSlot('failed_attempts', String(leaf.value), never)
    case 'node_summary':
    case 'state_summary':
      return textSlot(section, never)
    case 'last_error':
      return textSlot(section, ({ set_error }) => set_error === null)
    case 'focus':
      return {
        held: ({ focus }) => of(focus),
        shown: ({ focus }) =>
          focus ? { section, text: JSON.stringify({ place: focus.place, text: focus.text }) } : undefined,
        removes: ({ set_focus }) => set_focus === null,
        caps: [],
      }
    case 'hub_context':
    case 'hub_freshness':
      return {
        held: ({ hub }) => of(hub),
        shown: ({ hub_context: context, hub_freshness: freshness }) =>
          context ? { section: 'hub_context', text: JSON.stringify({ context, freshness }) } : undefined,
        removes: ({ set_hub_context }) => set_hub_context === null,
        caps: ['hub_chars'],
      }
    case 'extensions':
      return {
        held: ({ extensions }) => of(extensions[second]),
        shown: ({ extensions }) =>
          Object.hasOwn(extensions, second)
            ? { section, text: JSON.stringify(extensions[second]) }
            : undefined,
        removes: never,
        caps: [],
      }
    default:
      return undefined
  }
}

function actionSlot(ref: number, field: string | undefined): Slot {
  const isOutput = field === 'output'
  return {
    held: ({ actions }) => {
      const action = actions.find((one) => one.ref === ref)
      const value = isOutput ? action?.output : action?.summary
      return action && value !== '' ? { ref, value: value ?? '' } : undefined
    },
    shown: ({ recent_actions, earlier }) => {
      const recent = recent_actions.find((one) => one.ref === ref)
      if (isOutput) return recent?.output ? { section: 'recent_actions', text: recent.output } : undefined
      const step = recent ?? earlier.find((one) => one.ref === ref)
      return step && { section: recent ? 'recent_actions' : 'earlier', text: step.summary }
    },
    removes: never,
    caps: isOutput ? ['outputs_total_chars', 'kept_actions'] : ['kept_actions'],
  }
}

const wordsSlot = (section: 'thoughts' | 'person', ref: number): Slot => ({
  held: (state) => of(state[section].find((words) => words.ref === ref)),
  shown: (packet) => {
    const said = packet[section].find((words) => words.ref === ref)
    if (said) return { section, text: said.text }
    const line = packet.earlier.find((step) => step.ref === ref && step.tool === '')
    return line && { section: 'earlier', text: line.summary }
  },
  removes: never,
  caps: [`${section}_total_chars`],
})

const planSlot = (id: string, text: string): Slot => ({
  held: ({ plan }) => {
    const item = plan.find((one) => one.id === id)
    return item && { ref: item.ref, value: `${item.text} (${item.status})` }
  },
  shown: ({ plan }) => {
    const item = plan.find((one) => one.text === text)
    return item && { section: 'plan', text: `${item.text} (${item.status})` }
  },
  removes: ({ update_plan = [] }) => update_plan.includes(null),
  caps: ['plan_items'],
})

const factSlot = (key: string): Slot => ({
  held: ({ knowledge }) => (Object.hasOwn(knowledge, key) ? of(knowledge[key]) : undefined),
  shown: ({ knowledge }) =>
    Object.hasOwn(knowledge, key)
      ? { section: 'knowledge', text: JSON.stringify(knowledge[key]?.value) }
      : undefined,
  removes: ({ remove_knowledge = [], supersedes = [] }) =>
    remove_knowledge.includes(key) || supersedes.includes(key),
  caps: ['knowledge_entries', 'knowledge_total_chars'],
})

const fileSlot = (path: string): Slot => ({
  held: ({ files }) => {
    const file = Object.hasOwn(files, path) ? files[path] : undefined
    return file && { ref: file.ref, value: file.regions.map(({ lines }) => lines.join('\n')).join('\n') }
  },
  shown: ({ files }) => {
    const file = files.find((one) => one.path === path)
    return file && { section: 'files', text: file.regions.map(({ text }) => text).join('\n') }
  },
  removes: ({ change_files = [] }) => change_files.some(({ kind }) => kind === 'remove'),
  caps: ['files_total_chars'],
})

const lineSlot = (
  section: 'diagnostics' | 'failed_attempts',
  value: string,
  removes: Slot['removes'],
): Slot => ({
  held: (state) => of(state[section].find((line) => line.value === value)),
  shown: (packet) => (packet[section].includes(value) ? { section, text: value } : undefined),
  removes,
  caps: [section],
})

const textSlot = (
  section: 'node_summary' | 'state_summary' | 'last_error',
  removes: Slot['removes'],
): Slot => ({
  held: (state) => of(state[section]),
  shown: (packet) => (packet[section] ? { section, text: packet[section] } : undefined),
  removes,
  caps: [],
})
