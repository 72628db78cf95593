import type { Conclusion, Delta, FileChange } from '../core/event/delta.ts'
import { isObject } from '../core/event/json.ts'
import type { Lesson } from '../core/memory/learner.ts'
import { runsOf } from '../core/packet/files.ts'
import type { State } from '../core/packet/state.ts'
import { isDefinition } from '../text/definitions.ts'
import { onOneLine } from '../text/lines.ts'
import { specificNames } from '../text/names.ts'
import { isSamePath } from '../text/paths.ts'
import { joinPath } from '../text/shell.ts'
import { failedPartly, settledBy } from './attempts.ts'
import { scriptFile, writtenBy } from './call/scripts.ts'
import { isComplaint } from './complaint.ts'
import { settleProblems } from './problems.ts'
import { resultsIn } from './results.ts'
import type { Observation } from './summarizer.ts'
import { announcementIn, type Sentence, saysAgain, sentencesIn, wordsOfLines } from './words.ts'

/** Of one message, and so many more for so much text. */
const CONCLUSIONS_MAX = 4
const CHARS_FOR_MORE = 1_000
const MORE_MAX = 4
/** Of these, statements of which no word says that something was found. */
const STATED_MAX = 2
const SCORE_MIN = 3
/** What failed is worth telling where it is named. */
const FAILED_MIN = 4
const NAMES_MAX = 5
const LINES_MAX = 1_000
const MESSAGE_CHARS_MIN = 300
const REMARK_CHARS_MAX = 200
const WHY_CHARS_MAX = 240
/** Prose that a call was given: a message to a person, the reason for the call. */
const WORDS_IN_CALL =
  /^(?:description|explanation|explain|reason(?:ing)?|thought|rationale|instruction|message|comment|summary|text|content|body|note)s?$/i

/** What the model's own words say that should be known later: what it found out and chose, and why the last step failed. */
export function hear(words: string, { actions, failed_attempts, goal }: State): Delta {
  const sentences = sentencesIn(words)
  const last = actions.at(-1)
  const why = last && last.outcome !== 'success' ? whyIn(sentences) : undefined
  const known = failed_attempts.some(({ ref }) => ref === last?.ref)
  return {
    ...conclusionsOf(sentences, goal.value),
    ...(last && why !== undefined && known
      ? { explain_attempts: [{ ref: last.ref, why: why.slice(0, WHY_CHARS_MAX) }] }
      : {}),
  }
}

/** The sentences that say most, in their order. */
function conclusionsOf(sentences: readonly Sentence[], task: string): Delta {
  const scored = sentences.filter(({ score, says }) => score >= SCORE_MIN && says !== 'failed')
  const known = scored.length > 0 ? wordsOfLines(task) : []
  const telling = scored.filter(({ text }) => !saysAgain(text, known))
  const failed = sentences.filter(({ score, says }) => score > FAILED_MIN && says === 'failed')
  const chars = sentences.reduce((sum, { text }) => sum + text.length, 0)
  const max = CONCLUSIONS_MAX + Math.min(MORE_MAX, Math.floor(chars / CHARS_FOR_MORE))
  const ranked = telling.toSorted((a, b) => b.score - a.score)
  const stated = ranked.filter(({ says }) => says === 'states').slice(STATED_MAX)
  const best = new Set(ranked.filter((one) => !stated.includes(one)).slice(0, max))
  const conclusions: Conclusion[] = telling.flatMap((one) =>
    best.has(one) ? [{ text: one.text, score: one.score }] : [],
  )
  return {
    ...(conclusions.length > 0 ? { add_conclusions: conclusions } : {}),
    ...(failed.length > 0 ? { add_failed_attempt: failed.slice(0, 2).map(({ text }) => text) } : {}),
  }
}

/** What was found; or what is said first of the failure, and else what is done instead. */
const whyIn = (sentences: readonly Sentence[]): string | undefined => {
  const telling = sentences.filter(({ score }) => score >= SCORE_MIN)
  const found = telling.find(({ says }) => says === 'found' || says === 'failed')
  const first = sentences.find(
    ({ says, announces, text }) =>
      says !== 'nothing' && !announces && !/^(?:good|great|perfect)\b/i.test(text),
  )
  return (found ?? first ?? telling[0])?.text
}

/** A lesson with what the state before it adds: what a change touched and why, what a success settles, results that stay. */
export function withNotes(seen: Observation, lesson: Lesson): Lesson {
  const { delta, outcome } = lesson
  const { state, call } = seen
  const prose = proseIn(seen)
  const said = remarkOn(seen, prose)
  const written = outcome === 'error' ? [] : writtenByScripts(seen, delta.change_files ?? [])
  const all = [...(delta.change_files ?? []), ...written]
  const changes = all.length > 0 ? all.map((change) => withRemark(change, said, seen)) : undefined
  const facts =
    outcome === 'error' ? {} : resultsIn(seen.shown, call.intent.kind === 'run' ? call.intent.command : '')
  const problems = state ? settleProblems(call, delta, { outcome, shown: seen.shown }, state) : {}
  // A short text says what the call is for, a long one tells a person what was found.
  const told = sentencesIn(prose).filter(({ says }) => says !== 'states' || prose.length > MESSAGE_CHARS_MIN)
  const notes = conclusionsOf(told, state?.goal.value ?? '')
  const attempts = [
    ...(delta.add_failed_attempt ?? []),
    ...failedPartly(seen, lesson),
    ...(notes.add_failed_attempt ?? []),
  ]
  const acts = call.intent.kind === 'run' || call.intent.kind === 'change'
  // What a pipe shows may complain though it ended well.
  const isDone = outcome === 'success' && acts && !seen.shown.split('\n', LINES_MAX).some(isComplaint)
  const settled = isDone && state ? settledBy(call, delta, state) : []
  return {
    ...lesson,
    delta: {
      ...delta,
      ...(changes && call.intent.kind === 'change' && delta.add_action
        ? { add_action: delta.add_action.map((action) => naming(action, changes)) }
        : {}),
      ...(changes ? { change_files: changes } : {}),
      ...(Object.keys(facts).length > 0 ? { update_knowledge: { ...facts, ...delta.update_knowledge } } : {}),
      ...(attempts.length > 0 ? { add_failed_attempt: attempts } : {}),
      ...problems,
      ...(settled.length > 0 ? { explain_attempts: settled } : {}),
      ...(notes.add_conclusions ? { add_conclusions: notes.add_conclusions } : {}),
    },
  }
}

/** What the scripts that a command runs write, where their text is known because the run wrote or read them. */
function writtenByScripts({ call, state }: Observation, known: readonly FileChange[]): FileChange[] {
  return call.programs.flat().flatMap((program) => {
    const path = scriptFile(program)
    const file =
      path &&
      Object.values(state?.files ?? {}).find((one) => isSamePath(one.path, joinPath(program.folder, path)))
    if (!file) return []
    const text = file.regions.flatMap(({ lines }) => lines).join('\n')
    return writtenBy(text, program.folder).filter(
      (one) => !known.some((other) => isSamePath(other.path, one.path)),
    )
  })
}

/** What of a call's arguments is written for people. */
function proseIn({ args, call }: Observation): string {
  if (!isObject(args) || call.intent.kind === 'change' || call.intent.kind === 'read') return ''
  const texts = Object.entries(args).flatMap(([name, value]) =>
    typeof value === 'string' && WORDS_IN_CALL.test(name) && value.length > 40 ? [value] : [],
  )
  return texts.join('\n')
}

/** With what words the model came to this call. */
function remarkOn({ state, args }: Observation, prose: string): string | undefined {
  const before = state?.actions.at(-1)
  // The words stand before the call, which the state knows already.
  const called = before?.outcome === null ? (state?.actions.at(-2)?.ref ?? 0) : (before?.ref ?? 0)
  const words = state?.thoughts.filter(({ ref }) => ref > called).map(({ value }) => value) ?? []
  const given = isObject(args) && typeof args['description'] === 'string' ? args['description'] : ''
  // Who says nothing may have planned it, if only one thing is.
  const active = state?.plan.filter(({ status }) => status === 'active') ?? []
  const planned = active.length === 1 ? (active[0]?.text ?? '') : ''
  const found = announcementIn(
    words.length > 0 ? words.join('\n') : prose || given || planned,
    REMARK_CHARS_MAX,
  )
  return found === undefined || !isTelling(found) ? undefined : found
}

const REMARK_WORDS_MIN = 9

/** `Now update the job manager.` tells no more than the change itself. */
const isTelling = (sentence: string): boolean =>
  sentence.split(' ').length >= REMARK_WORDS_MIN || specificNames(sentence).length > 0

function withRemark(change: FileChange, said: string | undefined, { state, call }: Observation): FileChange {
  if (change.kind === 'read' || change.kind === 'remove') return change
  const names = namesTouched(change, state)
  // How a command changed a file only the command tells.
  const how = change.kind === 'touch' ? commandOf(call, change.path) : putIn(change)
  const told = [said ?? '', how].filter((part) => part !== '').join(' → ')
  return { ...change, ...(names.length > 0 ? { names } : {}), ...(told === '' ? {} : { said: told }) }
}

/** The program that names a file, as it was called. */
function commandOf({ programs }: Observation['call'], path: string): string {
  const name = path.split('/').at(-1) ?? path
  const program = programs
    .flat()
    .find(({ args, into }) => [...args, into ?? ''].some((word) => word.endsWith(name)))
  return program ? onOneLine([program.name, ...program.args].join(' ')).slice(0, PUT_CHARS_MAX) : ''
}

type Action = NonNullable<Delta['add_action']>[number]

/** The sentence of an edit with what it touched: a later reader has only that. */
function naming(action: Action, changes: readonly FileChange[]): Action {
  const names = changes.flatMap((change) => ('names' in change ? (change.names ?? []) : []))
  const [, head, rest] = /^((?:Edited|Wrote) .{1,300}?)(: .*)?$/.exec(action.summary) ?? []
  if (head === undefined || names.length === 0) return action
  return {
    ...action,
    summary: `${head} in ${[...new Set(names)].slice(0, NAMED_MAX).join(', ')}${rest ?? ''}`,
  }
}

const NAMED_MAX = 3
const PUT_LINES_MAX = 3
const PUT_CHARS_MIN = 30
const PUT_CHARS_MAX = 160

/** The text that a small change put in says best what it was. */
function putIn(change: FileChange): string {
  if (change.kind !== 'edit' && change.kind !== 'lines') return ''
  const old = new Set(change.kind === 'edit' ? change.before.split('\n') : [])
  const now = (change.kind === 'edit' ? change.after : (change.text ?? '')).split('\n')
  const added = now.filter((line) => !old.has(line) && line.trim() !== '')
  const text = onOneLine(added.join(' '))
  return added.length > PUT_LINES_MAX || text.length > PUT_CHARS_MAX || text.length < PUT_CHARS_MIN
    ? ''
    : text
}

/** Functions, headings and keys that a change touches: those that it defines, else the one that it stands in. */
function namesTouched(
  change: Exclude<FileChange, { kind: 'read' | 'remove' }>,
  state: State | undefined,
): string[] {
  switch (change.kind) {
    case 'edit': {
      const own = namesIn(change.path, `${change.before}\n${change.after}`)
      return own.length > 0
        ? own
        : around(change.path, state, (lines) =>
            lines.findIndex((line) => line.includes(change.before.split('\n', 1)[0] ?? '')),
          )
    }
    case 'lines': {
      const own = namesIn(change.path, change.text ?? '')
      return own.length > 0 ? own : around(change.path, state, (_, from) => change.from - from)
    }
    case 'write':
      return namesIn(change.path, change.text)
    default:
      return []
  }
}

/** What a line defines. */
const DEFINED =
  /(?:^|\s)(?:def|class|function\*?|func(?: \([^)]{0,60}\))?|fn|interface|type|struct|enum|trait|impl|module|package|const|let|var|describe|test|it)[ (]+["'`]?([\p{L}\p{M}\p{N}_$.]+)/u
const KEY = /^ {0,2}["']?(\p{L}[\p{L}\p{M}\p{N}_.-]{1,40})["']?\s*(?::|=)(?:\s|$)/u
/** These open a part of code and name nothing. */
const OPENS = /^(?:else|try|except|finally|catch|default|do|begin|ensure|rescue|public|private|protected)$/

/** Files of prose are told by their headings, all others by what they define and by their keys. */
const PROSE = /\.(?:md|markdown|mdx|rst|txt|adoc)$/i
const HEADING = /^#{1,4} +(\S.{0,60})/

function nameIn(line: string, isProse: boolean): string | undefined {
  if (isProse) return HEADING.exec(line)?.[1]
  const name = (isDefinition(line) ? DEFINED : KEY).exec(line)?.[1]
  return name === undefined || OPENS.test(name) ? undefined : name
}

const namesIn = (path: string, text: string): string[] => {
  const isProse = PROSE.test(path)
  return [...new Set(text.split('\n').flatMap((line) => nameIn(line, isProse) ?? []))].slice(0, NAMES_MAX)
}

const LINES_ABOVE_MAX = 150

/** The nearest definition above a line of a file, as far as the file is known. */
function around(
  path: string,
  state: State | undefined,
  lineIn: (lines: readonly string[], from: number) => number,
): string[] {
  const file = Object.values(state?.files ?? {}).find((known) => isSamePath(known.path, path))
  for (const run of runsOf(file?.regions ?? [])) {
    const lines = run.flatMap((region) => region.lines)
    const from = run[0]?.from ?? 0
    const at = lineIn(lines, from)
    if (at < 0 || at >= lines.length) continue
    // Farther up, or above a gap, it may be another one's.
    const above = lines.slice(0, at + 1)
    const found = above.slice(-LINES_ABOVE_MAX).findLast(isDefinition)
    const name = found === undefined ? undefined : DEFINED.exec(found)?.[1]
    return name === undefined ? [] : [name]
  }
  return []
}
