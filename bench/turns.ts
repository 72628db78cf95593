/**
 * Prompt tokens turn by turn, with the packet, the transcript and both, for the same work: 200 test runs whose output
 * differs. `npx node bench/turns.ts [turns]` prints a table for docs/running.md.
 */

import { longRun } from '../test/run/long-run.ts'

const TURNS = Number(process.argv[2] ?? 200)
const shown = [1, 2, 5, 10, 20, 50, 100, 150, 200].filter((turn) => turn <= TURNS)
const number = (value: number) => value.toLocaleString('en-US')

console.log(`| context | ${shown.map((turn) => `turn ${turn}`).join(' | ')} | largest | all together |`)
console.log(`|---${'|--:'.repeat(shown.length + 2)}|`)
for (const context of ['packet', 'messages', 'both'] as const) {
  // The transcript is what a chat without any bound would be.
  const { prompt_tokens } = await longRun(TURNS, context, context === 'packet' ? undefined : 10_000_000)
  const cells = shown.map((turn) => number(prompt_tokens[turn - 1] ?? 0))
  const all = prompt_tokens.reduce((sum, tokens) => sum + tokens, 0)
  console.log(`| ${context} | ${[...cells, number(Math.max(...prompt_tokens)), number(all)].join(' | ')} |`)
}
