import type { Delta } from '../../core/event/delta.ts'
import type { Json } from '../../core/event/json.ts'
import type { Packet } from '../../core/packet/packet.ts'
import type { Sourced, State } from '../../core/packet/state.ts'
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

const held = <T extends Json>(sourced: Sourced<T> | null | undefined): Held | undefined =>
  sourced ? { ref: sourced.ref, value: sourced.value } : undefined

const shown = (section: string, value: Json | undefined): Shown | undefined =>
  value === undefined || value === null || value === ''
    ? undefined
    : { section, text: typeof value === 'string' ? value : JSON.stringify(value) }

/** A field of an object of facts: one that every object has is none. */
const own = <T>(of: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(of, key) ? of[key] : undefined

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
    case 'files': {
      const file = packet.files[Number(second)]
      return file && fileSlot(file.path)
    }
    case 'changed': {
      const path = packet.changed[Number(second)]?.path
      return {
        held: ({ changed }) => held(changed.find(({ value }) => value === path)),
        shown: ({ changed }) => shown(section, changed.find((file) => file.path === path)?.path),
        removes: ({ change_files = [] }) =>
          change_files.some((one) => one.kind === 'remove' && one.path === path),
        caps: ['changed_files'],
      }
    }
    case 'knowledge':
      return {
        held: ({ knowledge }) => held(own(knowledge, second)),
        shown: ({ knowledge }) => shown(section, own(knowledge, second)?.value),
        removes: ({ remove_knowledge = [], supersedes = [] }) =>
          remove_knowledge.includes(second) || supersedes.includes(second),
        caps: ['knowledge_entries', 'knowledge_total_chars'],
      }
    case 'diagnostics':
    case 'failed_attempts':
      return {
        held: (of) => held(of[section].find(({ value }) => value === leaf.value)),
        shown: (of) =>
          shown(
            section,
            of[section].find((line) => line === leaf.value),
          ),
        removes: ({ add_diagnostics = [] }) => section === 'diagnostics' && add_diagnostics.includes(null),
        caps: [section],
      }
    case 'node_summary':
    case 'state_summary':
    case 'last_error':
      return {
        held: (of) => held(of[section]),
        shown: (of) => shown(section, of[section]),
        removes: ({ set_error }) => section === 'last_error' && set_error === null,
        caps: [],
      }
    case 'focus':
      return {
        held: ({ focus }) => held(focus),
        shown: ({ focus }) => shown(section, focus && { place: focus.place, text: focus.text }),
        removes: ({ set_focus }) => set_focus === null,
        caps: [],
      }
    case 'hub_context':
    case 'hub_freshness':
      return {
        held: ({ hub }) => held(hub),
        shown: ({ hub_context: context, hub_freshness: freshness }) =>
          shown('hub_context', context && { context, freshness }),
        removes: ({ set_hub_context }) => set_hub_context === null,
        caps: ['hub_chars'],
      }
    case 'extensions':
      return {
        held: ({ extensions }) => held(extensions[second]),
        shown: ({ extensions }) => shown(section, own(extensions, second)),
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
      if (isOutput) return shown('recent_actions', recent?.output)
      const step = recent ?? earlier.find((one) => one.ref === ref)
      return step && { section: recent ? 'recent_actions' : 'earlier', text: step.summary }
    },
    removes: never,
    caps: isOutput ? ['outputs_total_chars', 'kept_actions'] : ['kept_actions'],
  }
}

const wordsSlot = (section: 'thoughts' | 'person', ref: number): Slot => ({
  held: (state) => held(state[section].find((words) => words.ref === ref)),
  shown: (packet) => {
    const said = packet[section].find((words) => words.ref === ref)
    if (said) return { section, text: said.text }
    const line = packet.earlier.find((step) => step.ref === ref && step.tool === '')
    return line && { section: 'earlier', text: line.summary }
  },
  removes: never,
  caps: [`${section}_total_chars`],
})

function planSlot(id: string, text: string): Slot {
  const words = (item: { readonly text: string; readonly status: string }) => `${item.text} (${item.status})`
  return {
    held: ({ plan }) => {
      const item = plan.find((one) => one.id === id)
      return item && { ref: item.ref, value: words(item) }
    },
    shown: ({ plan }) => {
      const item = plan.find((one) => one.text === text)
      return item && { section: 'plan', text: words(item) }
    },
    removes: ({ update_plan = [] }) => update_plan.includes(null),
    caps: ['plan_items'],
  }
}

const fileSlot = (path: string): Slot => ({
  held: ({ files }) => {
    const file = own(files, path)
    return file && { ref: file.ref, value: file.regions.map(({ lines }) => lines.join('\n')).join('\n') }
  },
  shown: ({ files }) => {
    const file = files.find((one) => one.path === path)
    return file && { section: 'files', text: file.regions.map(({ text }) => text).join('\n') }
  },
  removes: ({ change_files = [] }) => change_files.some(({ kind }) => kind === 'remove'),
  caps: ['files_total_chars'],
})
