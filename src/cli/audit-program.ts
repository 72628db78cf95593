import { Option } from 'commander'
import type { Kit } from './run-program.ts'

/** The commands that look back at what was recorded, and keep or forget it. */
export function addAuditCommands({ command, oneAgent, done, wholeNumber }: Omit<Kit, 'agents'>): void {
  command('why <agent> <pointer>', 'Show where a value of the packet comes from: event, call, raw bytes.', [
    'why import-run /last_error',
    'why import-run /knowledge/python --turn 7',
    'why import-run "1 of 11 tests failed"   # text as the packet shows it',
  ])
    .option('--turn <n>', 'in the packet after this turn (default: the last)', wholeNumber)
    .action(async (agent, pointer, options) =>
      done(await (await import('./commands/why.ts')).whyCommand(agent, pointer, options)),
    )

  command('report [agent]', 'What was asked, done, changed, failed, and what it cost.', [
    'report --since 24h',
    'report --run run-7f3a --format html --output report.html',
    'report lint#3',
    'report --operation lint --json',
  ])
    .option('--run <id>', 'only logs of this run')
    .option('--last', 'only logs of the newest run')
    .option('--node <id>', 'only logs of this node')
    .option('--operation <name>', 'only logs of this operation')
    .option('--since <time>', 'only logs that began since a date or within a length of time (12h, 7d)')
    .addOption(
      new Option('--format <format>', 'how it is written')
        .choices(['markdown', 'html', 'json'])
        .default('markdown'),
    )
    .option('--output <file>', 'write it to a file')
    .action(async (agent, options) =>
      done(await (await import('./commands/report.ts')).reportCommand(agent, options)),
    )

  oneAgent('transcript', 'The conversation of an agent as a person reads it.', [
    'transcript lint#3',
    'transcript import-run --format markdown > run.md',
    'transcript import-run --full | less',
  ])
    .addOption(
      new Option('--format <format>', 'how it is written').choices(['text', 'markdown']).default('text'),
    )
    .option('--lines <n>', 'lines of each output that are shown (default: 40)', wholeNumber)
    .option('--full', 'every line of every output')
    .action(async (agent, options) =>
      done(await (await import('./commands/transcript.ts')).transcriptCommand(agent, options)),
    )
}
