/**
 * What each section and constant of the view is worth: each is taken out or changed alone, and it is asked how much of the
 * next call packets of 2,000 tokens explain, and how many of its copied lines and repeated names they hold.
 *
 *     node bench/ablation.ts TRAJECTORIES EVALUATE.mjs [--every 3] [--turns 4] [--only TEXT]
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { rows } from '../src/core/view/sections.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    every: { type: 'string', default: '3' },
    turns: { type: 'string', default: '4' },
    only: { type: 'string', default: '' },
  },
})
const [trajectories, evaluate] = positionals
if (trajectories === undefined || evaluate === undefined)
  throw new Error(
    'Give recordings and the script that evaluates views: node bench/ablation.ts DIR evaluate.mjs',
  )

/** The section whose row shows nothing, or the constant of a file that has another value. */
interface Variant {
  readonly name: string
  readonly without?: string
  readonly constant?: readonly [file: string, name: string, value: string]
}

const constants = [
  ['files.ts', 'AT_HAND', '2000'],
  ['files.ts', 'AROUND', '1000'],
  ['files.ts', 'RECENT', '120'],
  ['files.ts', 'TOKENS_MIN', '0'],
  ['steps.ts', 'NEWEST', '{ said: 1000, call: 1000, output: 1000 }'],
  ['steps.ts', 'OLDER', '{ said: 1, call: 1, output: 1 }'],
  ['steps.ts', 'ANSWERED', '0'],
  ['steps.ts', 'STEPS_FIRST', '0'],
  ['items.ts', 'PARTS', '1'],
  ['items.ts', 'LAST_CHANGED', '0'],
  ['cut.ts', 'HIGHLIGHT', '0'],
  ['reader.ts', 'INTEREST_MAX', '0'],
  ['view.ts', 'UNUSED_PERCENT_MAX', '5'],
] as const

const variants: readonly Variant[] = [
  { name: 'as it is' },
  ...rows.map(({ field }) => ({ name: `without ${field}`, without: field })),
  ...constants.map((constant) => ({ name: `${constant[1]} = ${constant[2]}`, constant })),
]

const root = resolve(import.meta.dirname, '..')
const scratch = mkdtempSync(join(root, '.ablation-'))
try {
  const runs = readdirSync(trajectories)
    .filter((file) => file.endsWith('.jsonl'))
    .sort()
    .filter((_, at) => at % Number(values.every) === 0)
  const chosen = mkdtempSync(join(tmpdir(), 'twotrack-bench-'))
  for (const run of runs) cpSync(join(trajectories, run), join(chosen, run))
  console.log('| | repeated names | explained | copied lines |\n| --- | --: | --: | --: |')
  for (const variant of variants) {
    if (!variant.name.includes(values.only)) continue
    const { repeat_recall, explained, lines } = measured(variant, chosen, evaluate)
    console.log(`| ${variant.name} | ${[repeat_recall, explained, lines].join(' | ')} |`)
  }
  rmSync(chosen, { recursive: true })
} finally {
  rmSync(scratch, { recursive: true })
}

/** In a process of its own, on a copy of the source beside ours: both find the same packages. */
function measured({ without, constant }: Variant, chosen: string, script: string) {
  const source = join(scratch, 'src')
  rmSync(source, { recursive: true, force: true })
  cpSync(join(root, 'src'), source, { recursive: true })
  if (constant) {
    const [file, name, value] = constant
    const path = join(source, 'core/view', file)
    const text = readFileSync(path, 'utf8')
    const changed = text.replace(new RegExp(`^const ${name} = .+$`, 'm'), `const ${name} = ${value}`)
    if (changed === text) throw new Error(`${file} has no constant ${name}`)
    writeFileSync(path, changed)
  }
  const views = join(scratch, 'views')
  mkdirSync(views, { recursive: true })
  const worker = join(import.meta.dirname, 'ablation-views.ts')
  execFileSync(process.execPath, [worker, source, chosen, views, values.turns, without ?? ''])
  const told = execFileSync(process.execPath, [resolve(script), '--dir', chosen, views], { encoding: 'utf8' })
  return JSON.parse(told) as { repeat_recall: number; explained: number; lines: number }
}
