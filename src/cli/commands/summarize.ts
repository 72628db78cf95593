import { type GivenBy, learnedFrom } from '../../app/learned.ts'
import type { CommandWords } from '../command.ts'
import { readInput } from '../input.ts'
import { type Found, paint, safe } from '../output.ts'

/** What the packet would learn from one output, through the same summarizers as a run. */
async function summarizeCommand(file: string, options: GivenBy): Promise<Found> {
  const found = learnedFrom(await readInput(file), options)
  const { summary, outcome, summarizer, counts = {}, report, diagnostics } = found
  const stated = Object.entries(counts).map(([name, value]) => `${value} ${name}`)
  const learned = Object.entries(found.knowledge)
  return {
    json: found,
    lines: () => [
      safe(summary),
      paint('dim', `${outcome}, by ${summarizer}`),
      report && `${paint('bold', 'Counts')} (${safe(report)}): ${stated.join(', ') || 'none stated'}`,
      diagnostics.length > 0 && paint('bold', 'Open problems'),
      ...diagnostics.map((line) => `- ${safe(line)}`),
      learned.length > 0 && paint('bold', 'Learned'),
      ...learned.map(([key, value]) => `- ${safe(key)}: ${safe(JSON.stringify(value))}`),
    ],
  }
}

export default {
  takes: '<file>',
  examples: [
    'summarize output.txt --command "pytest -q"',
    'summarize rows.json --tool query_database --json',
    'eslint src | twotrack summarize -   # recognised by itself',
  ],
  options: [
    ['--tool <name>', 'the tool that gave it'],
    ['--command <line>', 'the shell command that gave it'],
  ],
  call: summarizeCommand,
} satisfies CommandWords
