import type { Event, EventFor } from '../../core/event/event.ts'
import { defined } from '../../core/event/json.ts'
import { cap } from '../../core/packet/caps.ts'
import type { State } from '../../core/packet/state.ts'
import { isNumber } from '../../text/names.ts'
import { shownIn } from './needs.ts'
import type { Blame } from './spot.ts'

type Holds = (text: string) => boolean

/** A line of raw output, and the names in it that were needed; without names, the line as a whole. */
interface Missed {
  readonly names: readonly string[]
  readonly text: string
}

const holderOf =
  ({ names, text: line }: Missed): Holds =>
  (text) => {
    if (text === '') return false
    const shown = shownIn(text)
    return names.length > 0 ? names.some((name) => shown.hasName(name)) : shown.hasLine(line)
  }

/** The number of a line in a listing: the delta has the lines without it, and where they begin. */
function isLineNumber({ delta }: Event, names: readonly string[]): boolean {
  return names.every(
    (name) =>
      isNumber(name) &&
      delta?.change_files?.some(
        (change) =>
          change.kind === 'read' &&
          Number(name) >= change.from &&
          Number(name) < change.from + change.text.split('\n').length,
      ),
  )
}

/** Who kept a line of a result's raw output out of the packet that was made of a later state. */
export function blameFor(event: EventFor<'tool_result'>, state: State, missed: Missed): Blame {
  const holds = holderOf(missed)
  if (missed.names.length > 0 && isLineNumber(event, missed.names)) return { by: 'view', name: 'files' }
  if (!holds(JSON.stringify(event.delta ?? {}))) {
    if (isBounded(event, state)) return { by: 'cap', name: 'output_chars' }
    const { summarizer: name, summarizer_version: version } = event.data
    return { by: 'summarizer', name, ...defined({ version }) }
  }
  const section = sectionWith(state, event, holds)
  if (section !== undefined) return { by: 'view', name: section }
  return lostBy(event, state, holds)
}

/** Whether the delta shows an output of which it may not hold all. */
const isBounded = ({ data, delta }: EventFor<'tool_result'>, { settings }: State): boolean =>
  data.output_bytes > cap(settings, 'output_chars') &&
  (delta?.add_action ?? []).some(({ output = '' }) => output !== '')

/** The section of the packet that would have shown it. */
function sectionWith(state: State, { seq }: Event, holds: Holds): string | undefined {
  const action = state.actions.find(({ ref }) => ref === seq)
  if (action && holds(action.output)) return 'recent_actions'
  for (const { lines } of Object.values(state.files).flatMap(({ regions }) => regions))
    if (holds(lines.join('\n'))) return 'files'
  if (action && holds(action.summary)) return 'earlier'
  const { knowledge, diagnostics, failed_attempts, last_error, focus, plan, person, thoughts } = state
  const said = { knowledge, diagnostics, failed_attempts, last_error, focus, plan, person, thoughts }
  const sections = Object.entries({ ...said, recent_actions: state.actions })
  return sections.find(([, value]) => value !== null && holds(JSON.stringify(value)))?.[0]
}

/** The delta held it and the state no longer does. */
function lostBy({ delta = {}, seq }: EventFor<'tool_result'>, state: State, holds: Holds): Blame {
  const action = state.actions.find(({ ref }) => ref === seq)
  if (!action) return { by: 'cap', name: 'kept_actions' }
  if (delta.add_action?.some(({ output = '' }) => holds(output)))
    return { by: 'cap', name: action.output === '' ? 'outputs_total_chars' : 'output_chars' }
  for (const change of delta.change_files ?? []) {
    if (!holds(JSON.stringify(change))) continue
    const known = Object.hasOwn(state.files, change.path)
    return known ? { by: 'replaced', name: 'files' } : { by: 'cap', name: 'files_total_chars' }
  }
  return { by: 'replaced', name: delta.update_knowledge ? 'knowledge' : 'diagnostics' }
}
