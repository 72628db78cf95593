import { createInterface } from 'node:readline/promises'
import { decideFile } from '../../app/decide.ts'
import { type Proposed, standingFile } from '../../app/proposals.ts'
import { messageOf, TwotrackError } from '../../errors.ts'
import type { Taking } from '../../workspace/accept.ts'
import { sideText } from '../../workspace/diff.ts'
import { changeOf, type Merged } from '../../workspace/merged.ts'
import { splitOf, withEdit } from '../../workspace/split.ts'
import { type CommandWords, LAST_RUN, OF_RUN } from '../command.ts'
import { type CommandAnswer, paint, print, printLines, safe, self } from '../output.ts'
import { patchLines } from '../patch-lines.ts'
import { type ProposalOptions, tellProblem, withProposals } from '../proposals.ts'
import { edited } from '../terminal.ts'

/** Asks a person, and gives the answer; undefined when there is nobody any more. */
export type Ask = (question: string) => Promise<string | undefined>

const CHOICES = {
  t: 'take it',
  l: 'leave it: it stays proposed',
  s: 'split it, and be asked about each place',
  e: 'edit it: opens the file as it would be in your $EDITOR, then asks again',
  r: 'reject it: it is not proposed any more',
  q: 'quit; what is not decided stays proposed',
} as const
type Choice = keyof typeof CHOICES

/** Goes through what agents propose, file by file, with the person at the terminal. */
async function reviewCommand(agents: readonly string[], options: ProposalOptions): Promise<CommandAnswer> {
  if (options.json || !process.stdin.isTTY || !process.stdout.isTTY)
    throw new TwotrackError(
      'bad_argument',
      `review asks you about each change, so it needs a terminal. Without one: ${self} changes, then ${self} accept NAME or ${self} reject NAME.`,
    )
  const which = { ...options, all: options.run === undefined && !options.last }
  return withProposals(agents, which, async (proposed) => {
    const said = proposed.length === 0 ? 'No proposed changes.' : await reviewAll(proposed, askAtTerminal)
    return { json: said, lines: () => [said] }
  })
}

/** Ctrl-D is no answer: what is not decided yet stays proposed. The terminal is free between questions, for an editor. */
const askAtTerminal: Ask = async (question) => {
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  try {
    const closed = new Promise<undefined>((resolve) => lines.on('close', () => resolve(undefined)))
    return await Promise.race([lines.question(question), closed])
  } finally {
    lines.close()
  }
}

/** Asks about each file until all are decided or the person goes; what a person takes is taken at once. */
async function reviewAll(proposed: readonly Proposed[], ask: Ask): Promise<string> {
  const queue = proposed.flatMap((one) => [...one.pending.keys()].map((path) => ({ one, path })))
  let [taken, rejected, partly] = [0, 0, 0]
  for (const [at, { one, path }] of queue.entries()) {
    // Merged anew: what was taken before may have changed the same file.
    const file = await standingFile(one, path)
    if (!file) continue
    const decision = await decideWith(one, file, `${at + 1} of ${queue.length}`, ask)
    if (decision === 'quit') break
    if (decision === 'left') continue
    const done = await decideFile(one, path, decision)
    if ('problem' in done) tellProblem({ ...one, ...done })
    else if (decision === 'rejected') rejected++
    else {
      const { accepted, conflicts } = done.value
      taken += accepted.length
      if (decision.left && accepted.length > 0) partly++
      for (const { reason } of conflicts) print(paint('red', `not taken: ${safe(reason)}`))
    }
  }
  const some = partly > 0 ? ` (${partly} in part; the rest stays proposed)` : ''
  return `${taken} taken${some}, ${rejected} rejected, ${queue.length - taken - rejected} left.`
}

type Decision = Taking | 'left' | 'rejected' | 'quit'

/** Shows one change and asks until the person has decided. */
export async function decideWith(
  { name, unfinished }: Pick<Proposed, 'name' | 'unfinished'>,
  file: Merged,
  place: string,
  ask: Ask,
  edit = edited,
): Promise<Decision> {
  let current = file
  for (;;) {
    const { conflict, how } = current
    const mark = unfinished === undefined ? '' : paint('yellow', ` unfinished: ${unfinished}`)
    print(`\n${paint('bold', `${safe(name)} ${safe(current.path)}`)} ${paint('dim', `(${place})`)}${mark}`)
    if (conflict !== undefined) print(paint('red', `conflict: ${safe(conflict)}; edit it to take it`))
    else if (how === 'merged') print(paint('dim', 'merged with what changed in the project'))
    printLines(patchLines(changeOf(current).text))
    const choice = await chosen(choicesFor(current), ask)
    if (choice === 't') return current
    if (choice === 'l') return 'left'
    if (choice === 'r') return 'rejected'
    if (choice === undefined || choice === 'q') return 'quit'
    if (choice === 's') return split(current, ask)
    if (choice === 'e') current = await editedFile(current, edit)
  }
}

function choicesFor(file: Merged): Choice[] {
  const { conflict, next } = file
  return [
    ...(conflict === undefined ? (['t'] as const) : []),
    'l',
    ...(splitOf(file) ? (['s'] as const) : []),
    ...(next && sideText(next) !== undefined ? (['e'] as const) : []),
    'r',
    'q',
  ]
}

/** `[t]ake`: the first word of what it does. */
const keyWord = (key: Choice): string => `[${key}]${CHOICES[key].slice(1).split(/\W/, 1)[0]}`

async function chosen(keys: readonly Choice[], ask: Ask): Promise<Choice | undefined> {
  for (;;) {
    const answer = await ask(`${keys.map(keyWord).join(' ')} [?] `)
    if (answer === undefined) return undefined
    const key = keys.find((one) => one === answer.trim().toLowerCase()[0])
    if (key) return key
    for (const one of keys) print(`  ${one}  ${CHOICES[one]}`)
  }
}

/** Each place by itself; what is not taken stays proposed. */
async function split(file: Merged, ask: Ask): Promise<Decision> {
  const parts = splitOf(file)
  const taken = new Set<number>()
  for (let at = 0; parts && at < parts.places; at++) {
    print(`\n${paint('bold', safe(file.path))} ${paint('dim', `(place ${at + 1} of ${parts.places})`)}`)
    printLines(patchLines(changeOf(parts.one(at)).text))
    const choice = await chosen(['t', 'l', 'q'], ask)
    if (choice === 't') taken.add(at)
    if (choice === undefined || choice === 'q') break
  }
  return parts?.take(taken) ?? 'left'
}

async function editedFile(file: Merged, edit: typeof edited): Promise<Merged> {
  try {
    return file.next ? withEdit(file, await edit(file.path, file.next.content)) : file
  } catch (thrown) {
    print(paint('red', messageOf(thrown)))
    return file
  }
}

export default {
  takes: '[agents...]',
  examples: ['review', 'review --last', 'review lint#3'],
  options: [LAST_RUN, OF_RUN],
  call: reviewCommand,
} satisfies CommandWords
