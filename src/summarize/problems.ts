import type { Delta, Outcome } from '../core/event/delta.ts'
import type { Action, State } from '../core/packet/state.ts'
import { readCall } from './call/call.ts'
import type { CallMeaning } from './call/intent.ts'
import { COUNTS } from './reports/report.ts'

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
    const [word = '', script = ''] = words
    // What a package calls its scripts is a command of its own: `npm run lint`.
    const named = word === 'run' ? `run ${script}` : word
    const command = COMMAND.test(word) ? named : ''
    const targets = words.filter((word) => TARGET.test(word) && !ALL.test(word))
    return [{ name: first.name, command, targets }]
  })
}

/** The same check as one that ran before, of all that one looked at or of these targets. */
function repeats(now: Check, before: Check): boolean {
  const looksAt = (targets: readonly string[]): boolean =>
    before.targets.every((one) => targets.some((two) => covers(two, one)))
  if (isSame(now, before)) return now.targets.length === 0 || looksAt(now.targets)
  // What looks like a command may be a folder: `flake8 shop`, after `flake8 shop/cart.py`.
  const isFolder = now.command !== '' && before.targets.length > 0 && looksAt([now.command])
  return now.name === before.name && isFolder
}

const isSame = (now: Check, before: Check): boolean =>
  now.name === before.name && now.command === before.command

const sameChecks = (before: readonly Check[], now: readonly Check[]): boolean =>
  before.every((one) => one.targets.length > 0 && now.some((two) => repeats(two, one) && repeats(one, two)))

const covers = (target: string, other: string): boolean => {
  const [mine, its] = [target, other].map((path) => path.replace(/^\.[/\\]/, '').replace(/[/\\]$/, ''))
  return mine === its || `${its}`.startsWith(`${mine}/`) || `${its}`.startsWith(`${mine}::`)
}

/** Counts that a check gives: `go_errors`, `linter_diagnostics`. */
const COUNTED = new RegExp(`_(?:${COUNTS.join('|')})$`)

/**
 * What a command's result closes of the problems that are open: those that the same check reported before and, looking
 * at the same again, does not report now, and what it had counted. Of another check, or of other files, it says nothing.
 */
export function settleProblems(
  call: CallMeaning,
  delta: Delta,
  seen: { readonly outcome: Outcome; readonly shown: string },
  { diagnostics, knowledge, actions }: State,
): Pick<Delta, 'add_diagnostics' | 'settle_problems' | 'supersedes'> {
  const checks = checksIn(call)
  const [first, ...lines] = delta.add_diagnostics ?? []
  const isReport = first === null
  const succeeded = seen.outcome === 'success' && delta.add_diagnostics === undefined
  const isClean = succeeded && isSilent(seen.shown)
  const counted = Object.entries(knowledge).filter(
    ([name, { from }]) => from === 'tool' && COUNTED.test(name),
  )
  if (checks.length === 0 || !(isReport || succeeded) || diagnostics.length + counted.length === 0) return {}
  const byRef = new Map(actions.map((action) => [action.ref, action]))
  const before = (ref: number): readonly Check[] => {
    const action = byRef.get(ref)
    return action ? checksOf(action) : []
  }
  const isDone = isReport || isClean
  const settled = diagnostics.filter(({ ref, value }) => {
    // What is not known any more is taken to be the check's own, as far as its words name what was looked at.
    const its = before(ref)
    // Whatever else it prints, the same command succeeded without this.
    if (!isDone)
      return (
        its.length > 0 && sameChecks(its, checks) && !seen.shown.includes(value.split(' ', 1)[0] ?? value)
      )
    return checks.some(
      (now) =>
        its.some((one) => repeats(now, one)) ||
        (its.some((one) => isSame(now, one)) && now.targets.some((target) => value.includes(target))),
    )
  })
  const stale = counted.filter(
    ([name, { ref }]) =>
      isDone &&
      !Object.hasOwn(delta.update_knowledge ?? {}, name) &&
      before(ref).some((one) => checks.some((now) => repeats(now, one))),
  )
  const settle = settled.map(({ value }) => value)
  return {
    ...(isReport ? { add_diagnostics: lines } : {}),
    ...(settle.length > 0 ? { settle_problems: settle } : {}),
    ...(stale.length > 0
      ? { supersedes: [...(delta.supersedes ?? []), ...stale.map(([name]) => name)] }
      : {}),
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
