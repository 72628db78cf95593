import type { Delta, Outcome } from '../core/event/delta.ts'
import type { Action, State } from '../core/packet/state.ts'
import { readCall } from './call/call.ts'
import type { CallMeaning } from './call/intent.ts'

/** A check that a command ran: the program, its own command, and what it was to look at. */
interface Check {
  readonly name: string
  readonly command: string
  readonly targets: readonly string[]
}

const COMMAND = /^[a-z][\w:-]*$/
const TARGET = /[\w-][./\\:][\w-]|^[\w-]+[/\\]/
/** What a command that is told to look at everything says. */
const ALL = /^(?:\.{1,3}|\.[/\\].*\.\.\.|\*+.*|.*[/\\]\.\.\.)$/

function checksIn({ programs }: CallMeaning): Check[] {
  return programs.flatMap(([first]) => {
    if (!first) return []
    const words = first.args.filter((arg) => !arg.startsWith('-'))
    const command = words[0] !== undefined && COMMAND.test(words[0]) ? words[0] : ''
    const targets = words.filter((word) => TARGET.test(word) && !ALL.test(word))
    return [{ name: first.name, command, targets }]
  })
}

/** The same check as one that ran before, of all that one looked at or of these targets. */
function repeats(now: Check, before: Check): boolean {
  const isSame = now.name === before.name && now.command === before.command
  return (
    isSame &&
    (now.targets.length === 0 || before.targets.every((one) => now.targets.some((two) => covers(two, one))))
  )
}

const covers = (target: string, other: string): boolean => {
  const [mine, its] = [target, other].map((path) => path.replace(/^\.[/\\]/, '').replace(/[/\\]$/, ''))
  return mine === its || `${its}`.startsWith(`${mine}/`) || `${its}`.startsWith(`${mine}::`)
}

/**
 * What a command's result closes of the problems that are open: those that the same check reported before and, looking
 * at the same again, does not report now. Of another check, or of other files, it says nothing.
 */
export function settleProblems(
  call: CallMeaning,
  delta: Delta,
  seen: { readonly outcome: Outcome; readonly shown: string },
  { diagnostics, actions }: State,
): Pick<Delta, 'add_diagnostics' | 'settle_problems'> {
  const checks = checksIn(call)
  const [first, ...lines] = delta.add_diagnostics ?? []
  const isReport = first === null
  const isClean = seen.outcome === 'success' && delta.add_diagnostics === undefined && isSilent(seen.shown)
  if (checks.length === 0 || diagnostics.length === 0 || !(isReport || isClean)) return {}
  const byRef = new Map(actions.map((action) => [action.ref, action]))
  const settled = diagnostics.filter(({ ref, value }) => {
    const action = byRef.get(ref)
    // What is not known any more is taken to be the check's own, as far as its words name what was looked at.
    const before = action ? checksOf(action) : []
    return checks.some(
      (now) =>
        before.some((one) => one.name === now.name && one.command === now.command) &&
        (before.some((one) => repeats(now, one)) || now.targets.some((target) => value.includes(target))),
    )
  })
  const settle = settled.map(({ value }) => value)
  return {
    ...(isReport ? { add_diagnostics: lines } : {}),
    ...(settle.length > 0 ? { settle_problems: settle } : {}),
  }
}

const checksOf = ({ tool, args }: Action): Check[] => checksIn(readCall(tool, args))

/** Nothing, or a line that says that nothing is wrong. */
const isSilent = (shown: string): boolean =>
  shown.trim() === '' ||
  (shown.length < 400 &&
    /\b(?:no (?:\w+ )?(?:issues?|problems?|errors?|warnings?|violations?)|0 (?:errors?|problems?|issues?|violations?)|all (?:checks )?passed|success|clean|ok)\b/i.test(
      shown,
    ))
