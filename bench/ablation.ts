/**
 * What each section and constant of the view is worth: each is taken out or changed alone, and it is asked how much of the
 * next call packets of 2,000 tokens explain, and how many of its copied lines and repeated names they hold; with the folder
 * of an exam (`exam/make.mjs`), also how many words of its answers, which the question does not have, stand in the packets.
 *
 *     node bench/ablation.ts TRAJECTORIES EVALUATE.mjs [--every 3] [--turns 4] [--only TEXT] [--exam OUT]
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { rows } from '../src/core/view/rows.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    every: { type: 'string', default: '3' },
    turns: { type: 'string', default: '4' },
    only: { type: 'string', default: '' },
    exam: { type: 'string' },
  },
})
const evaluatedSchema = z.object({ repeat_recall: z.number(), explained: z.number(), lines: z.number() })
const keySchema = z.array(z.object({ run: z.int(), file: z.string(), turn: z.int() }))
const viewSchema = z.object({ turn: z.int(), view: z.string() })
const questionSchema = z.object({ run: z.int(), question: z.string(), essential: z.array(z.string()) })
type Exam = ReturnType<typeof examIn>

const [trajectories, evaluate] = positionals
if (trajectories === undefined || evaluate === undefined)
  throw new Error(
    'Give recordings and the script that evaluates views: node bench/ablation.ts DIR evaluate.mjs',
  )

/** A text of a file of the view that is replaced by another. */
interface Variant {
  readonly name: string
  readonly without?: string
  readonly change?: readonly [file: string, from: RegExp, to: string]
}

const constants = [
  ['call.ts', 'USUAL_CALLS_MIN', '1_000_000'],
  ['call.ts', 'USUAL_CHARS_MAX', '1_000'],
  ['call.ts', 'USUAL_STEPS', '1_000'],
  ['cut.ts', 'GAP_TOKENS', '0'],
  ['cut.ts', 'HIGHLIGHT', '0'],
  ['cut.ts', 'SLOPE', '20'],
  ['cut.ts', 'PIECE_CHARS_MAX', '10_000'],
  ['files.ts', 'AT_HAND', '350'],
  ['files.ts', 'OTHER', '1'],
  ['files.ts', 'TOKENS_MIN', '0'],
  ['files.ts', 'NUMBERED_EVERY', '1'],
  ['items.ts', 'SHORT_CHARS', '1_000_000'],
  ['items.ts', 'SHORT_TOKENS', '0'],
  ['learned.ts', 'REMARK_TOKENS', '0'],
  ['learned.ts', 'NAMES_MAX', '12'],
  ['learned.ts', 'PARTS', '1'],
  ['learned.ts', 'ATTEMPT_CHARS', '1_000'],
  ['outline.ts', 'SAVED_CHARS_MIN', '1_000_000'],
  ['reader.ts', 'INTEREST_MAX', '0'],
  ['section.ts', 'PASSAGE_TOKENS', '0'],
  ['steps.ts', 'NEWEST', '80'],
  ['steps.ts', 'OLDER', '1'],
  ['steps.ts', 'ANSWERED', '0'],
  ['steps.ts', 'STEPS_FIRST', '0'],
  ['steps.ts', 'TOKENS_MIN', '10'],
  ['steps.ts', 'LINE_CHARS', '60'],
  ['view.ts', 'UNUSED_PERCENT_MAX', '10'],
  ['view.ts', 'TRIES_MAX', '2'],
] as const

const changed = (file: string, name: string, from: RegExp, to: string): Variant => ({
  name,
  change: [file, from, to],
})
const variants: readonly Variant[] = [
  { name: 'as it is' },
  ...rows.map(({ field }) => ({ name: `without ${field}`, without: field })),
  ...rows
    .filter(({ floor }) => floor !== undefined)
    .map(({ field }) =>
      changed('rows.ts', `no floor for ${field}`, new RegExp(`('${field}'[^}]*?floor: )\\d+`), '$10'),
    ),
  ...constants.map(([file, name, value]) =>
    changed(file, `${name} = ${value}`, new RegExp(`^const ${name} = .+$`, 'm'), `const ${name} = ${value}`),
  ),
]

const linesOf = (path: string): unknown[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))

/** The questions of each run, with where it was asked. */
function examIn(folder: string) {
  const questions = linesOf(join(folder, 'questions.jsonl')).map((line) => questionSchema.parse(line))
  const key = keySchema.parse(JSON.parse(readFileSync(join(folder, 'key.json'), 'utf8')))
  return key.map((at) => ({ ...at, questions: questions.filter(({ run }) => run === at.run) }))
}

/** Words and numbers; the short ones stand everywhere. */
const wordsIn = (text: string): Set<string> =>
  new Set(text.toLowerCase().match(/[a-z_][\w.'-]{3,}|\d[\d.,:]*\d|\d/g))

/** Of the words of each answer that its question does not have, how many stand in the packet; the mean of all questions. */
function answered(exam: Exam, views: string): number {
  const parts = exam.flatMap(({ file, turn, questions }) => {
    const packet = linesOf(join(views, file)).map((line) => viewSchema.parse(line))
    const text = packet.find((one) => one.turn === turn)?.view.toLowerCase() ?? ''
    return questions.flatMap(({ question, essential }) => {
      const asked = wordsIn(question)
      const words = [...wordsIn(essential.join(' '))].filter((word) => !asked.has(word))
      return words.length === 0 ? [] : words.filter((word) => text.includes(word)).length / words.length
    })
  })
  return parts.reduce((sum, part) => sum + part, 0) / parts.length
}

const exam = values.exam === undefined ? undefined : examIn(values.exam)
const root = resolve(import.meta.dirname, '..')
const scratch = mkdtempSync(join(root, '.ablation-'))
const chosen = mkdtempSync(join(tmpdir(), 'twotrack-bench-'))
const examined = mkdtempSync(join(tmpdir(), 'twotrack-bench-'))
try {
  const runs = readdirSync(trajectories)
    .filter((file) => file.endsWith('.jsonl'))
    .sort()
    .filter((_, at) => at % Number(values.every) === 0)
  for (const run of runs) cpSync(join(trajectories, run), join(chosen, run))
  for (const { file } of exam ?? []) cpSync(join(trajectories, file), join(examined, file))
  console.log('| | repeated names | explained | copied lines | answers |\n| --- | --: | --: | --: | --: |')
  for (const variant of variants.filter(({ name }) => name.includes(values.only)))
    console.log(`| ${variant.name} | ${measured(variant, evaluate).join(' | ')} |`)
} finally {
  rmSync(scratch, { recursive: true })
  rmSync(chosen, { recursive: true })
  rmSync(examined, { recursive: true })
}

/** In processes of their own, on a copy of the source beside ours: both find the same packages. */
function measured({ without = '', change }: Variant, script: string): (number | string)[] {
  const source = join(scratch, 'src')
  rmSync(source, { recursive: true, force: true })
  cpSync(join(root, 'src'), source, { recursive: true })
  if (change) {
    const [file, from, to] = change
    const path = join(source, 'core/view', file)
    const text = readFileSync(path, 'utf8')
    if (!from.test(text)) throw new Error(`${file} has nothing like ${from}`)
    writeFileSync(path, text.replace(from, to))
  }
  const viewsOf = (folder: string, turns: string): string => {
    const views = mkdtempSync(join(scratch, 'views-'))
    const worker = join(import.meta.dirname, 'ablation-views.ts')
    execFileSync(process.execPath, [worker, source, folder, views, turns, without])
    return views
  }
  const views = viewsOf(chosen, values.turns)
  const told = execFileSync(process.execPath, [resolve(script), '--dir', chosen, views], { encoding: 'utf8' })
  const { repeat_recall, explained, lines } = evaluatedSchema.parse(JSON.parse(told))
  return [repeat_recall, explained, lines, exam ? answered(exam, viewsOf(examined, '1')).toFixed(3) : '–']
}
