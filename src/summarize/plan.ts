import type { PlanChange } from '../core/event/delta.ts'
import { isObject, type Json } from '../core/event/json.ts'
import { cut } from '../text/cut.ts'
import { onOneLine, quoted } from '../text/lines.ts'
import { fieldNumber, fieldText } from './fields.ts'
import type { Observation, Summarizer } from './summarizer.ts'

type Status = NonNullable<PlanChange['status']>

const STATUS: readonly (readonly [RegExp, Status])[] = [
  [/^(?:pending|open|todo|not_started|new|blocked)$/, 'open'],
  [/^(?:in_progress|active|doing|started)$/, 'active'],
  [/^(?:completed?|done|finished|closed)$/, 'done'],
  [/^(?:cancell?ed|deleted|dropped|removed|skipped)$/, 'dropped'],
]
const LISTS = /todo|task|plan|step|item|list/i
const TEXTS = ['content', 'text', 'step', 'title', 'task', 'subject', 'todo', 'name', 'description']
const IDS = ['id', 'taskId', 'task_id', 'todoId', 'todo_id', 'itemId', 'item_id']
const ITEMS_MAX = 200
const TEXT_CHARS_MAX = 500

/** The agent wrote or changed its plan, with whatever tool: told by the shape of the arguments. */
export const plan: Summarizer = {
  name: 'plan',
  summarize(seen) {
    const { args, outcome } = seen
    if (outcome === 'error' || !isObject(args)) return undefined
    const whole = wholeList(args as Record<string, Json>)
    if (whole) {
      const changes = args['merge'] === true ? whole : [null, ...whole]
      return { summary: listSentence(whole), output: null, plan: changes }
    }
    const one = created(seen) ?? updated(seen)
    return one && { summary: itemSentence(one), output: null, plan: [one] }
  },
}

/** A list of objects, each with words and a status, or a checklist in Markdown. */
function wholeList(args: Record<string, Json>): PlanChange[] | undefined {
  for (const [name, value] of Object.entries(args)) {
    if (!LISTS.test(name)) continue
    const items = Array.isArray(value) ? value.map(itemOf) : typeof value === 'string' ? checklist(value) : []
    const read = items.flatMap((item) => item ?? [])
    if (read.length > 0 && read.length === items.length) return read.slice(0, ITEMS_MAX)
  }
  return undefined
}

function itemOf(value: Json, at: number): PlanChange | undefined {
  if (!isObject(value)) return undefined
  const text = wordsIn(value, TEXTS)
  const done = value['completed'] ?? value['done']
  const status = statusIn(value) ?? (typeof done === 'boolean' ? (done ? 'done' : 'open') : undefined)
  return text === undefined || status === undefined
    ? undefined
    : { id: idIn(value) ?? String(at + 1), text, status }
}

const BOX = /^\s*(?:[-*+]|\d+[.)])?\s*\[([ xX~/-])\]\s+(\S.*)$/

function checklist(text: string): (PlanChange | undefined)[] {
  const lines = text.split('\n', ITEMS_MAX * 2).filter((line) => line.trim() !== '')
  return lines.map((line, at) => {
    const [, mark = '', words = ''] = BOX.exec(line) ?? []
    if (words === '') return undefined
    const status = mark === ' ' ? 'open' : /x/i.test(mark) ? 'done' : 'active'
    return { id: String(at + 1), text: cut(words, TEXT_CHARS_MAX), status }
  })
}

/** `Task #3 created successfully: …`: the result gives the id, the arguments the words. */
function created({ args, shown }: Observation): PlanChange | undefined {
  if (!isObject(args) || statusIn(args) !== undefined) return undefined
  const text = wordsIn(args, ['subject', ...TEXTS])
  const id =
    /^(?:created )?(?:new )?(?:task|todo|item|step) #?([\w.-]{1,60}?):? (?:was |has been )?(?:created|added)\b/i.exec(
      shown.slice(0, 300),
    )?.[1]
  return text === undefined || id === undefined ? undefined : { id, text, status: 'open' }
}

/** An id and a status, of something that is called a task: orders and bookings have both too. */
function updated({ tool, args, shown }: Observation): PlanChange | undefined {
  if (!isObject(args)) return undefined
  const id = idIn(args)
  const status = statusIn(args)
  const named = Object.keys(args).some((name) => /^(?:task|todo)/i.test(name)) || /task|todo|plan/i.test(tool)
  if (id === undefined || status === undefined || !named || !/task|todo|item|step|plan|^$/i.test(shown))
    return undefined
  const text = wordsIn(args, ['subject', 'content', 'title'])
  return { id, status, ...(text === undefined ? {} : { text }) }
}

function statusIn(value: Record<string, unknown>): Status | undefined {
  const given = [value['status'], value['state']].find((word) => typeof word === 'string')
  const word = String(given).trim().toLowerCase().replaceAll(/[\s-]/g, '_')
  return STATUS.find(([words]) => words.test(word))?.[1]
}

function idIn(value: Record<string, unknown>): string | undefined {
  const id = fieldText(value, IDS) ?? fieldNumber(value, IDS)
  return id === undefined ? undefined : String(id).slice(0, 60)
}

function wordsIn(value: Record<string, unknown>, names: readonly string[]): string | undefined {
  const text = onOneLine((fieldText(value, names) ?? '').slice(0, TEXT_CHARS_MAX * 2))
  return text === '' ? undefined : cut(text, TEXT_CHARS_MAX)
}

function listSentence(items: readonly PlanChange[]): string {
  const done = items.filter(({ status }) => status === 'done').length
  const now = items.find(({ status }) => status === 'active')?.text
  return `Plan: ${done} of ${items.length} done${now === undefined ? '' : `, now ${quoted(cut(now, 120))}`}`
}

const STATUS_WORDS: Readonly<Record<Status, string>> = {
  open: 'is open',
  active: 'is being worked on',
  done: 'is done',
  dropped: 'was dropped',
}

const itemSentence = ({ id, text, status = 'open' }: PlanChange): string =>
  text === undefined
    ? `Task ${id} ${STATUS_WORDS[status]}`
    : `Task ${id} ${STATUS_WORDS[status]}: ${quoted(cut(text, 160))}`
