import { Option } from 'commander'
import type { Kit } from './run-program.ts'

/** The commands that look back at what was recorded, and keep or forget it. */
export function addAuditCommands({ command, oneAgent, agents, calls, wholeNumber }: Kit): void {
  command(
    'why <agent-and-pointer...>',
    'Show where a value of the packet comes from: event, call, raw bytes.',
    [
      'why lint#3 /last_error',
      'why --last /knowledge/python --turn 7',
      'why import-run "1 of 11 tests failed"   # text as the packet shows it',
    ],
  )
    .usage('[options] <agent> <pointer or text>\n       twotrack why [options] --last <pointer or text>')
    .option('--last', 'the agent that began last')
    .option('--turn <n>', 'in the packet after this turn (default: the last)', wholeNumber)
    .action(calls(async () => (await import('./commands/why.ts')).whyCommand))

  const many: typeof agents = (...given) =>
    agents(...given)
      .option('--run <id>', 'all agents of this run')
      .option('--all', 'all agents')

  many('blindspots', 'List what raw output said and the packet did not show when it mattered.', [
    'blindspots import-run',
    'blindspots import-run --turn 9   # what the calls of turn 9 were chosen without',
    'blindspots --run run-4f2a --most 30',
    'blindspots --all --json',
  ])
    .option('--turn <n>', 'only what the calls of this turn were chosen without', wholeNumber)
    .option('--most <n>', 'how many to list, the worst first (default: 10)', wholeNumber)
    .action(calls(async () => (await import('./commands/blindspots.ts')).blindSpotsCommand))

  many(
    'whatif',
    'Fold old logs with other summarizers, another limit or another view, beside what they are.',
    [
      'whatif import-run --limit 1500',
      'whatif import-run --summarizers ./summarizers.ts --turn 9   # both packets side by side',
      'whatif --all --summarizers built-in --gate                  # exit 1 when more is lost than won',
      'whatif --run run-4f2a --view desk-1:json --json',
    ],
  )
    .option('--summarizers <file>', 'a module whose default export is what Memory.open takes; or built-in')
    .option('--limit <tokens>', 'of the packet', wholeNumber)
    .option('--view <name[:rendering]>', 'another view, or another rendering of it')
    .option('--turn <n>', 'show the two packets that the calls of this turn are chosen with', wholeNumber)
    .option('--gate', 'exit with 1 when new blind spots weigh more than those that go')
    .action(calls(async () => (await import('./commands/whatif.ts')).whatIfCommand))

  command('report [agent]', 'What was asked, done, changed, failed, and what it cost.', [
    'report --since 24h',
    'report --run run-7f3a --format html > report.html',
    'report lint#3',
    'report --operation lint --json',
  ])
    .option('--run <id>', 'only logs of this run')
    .option('--last', 'only logs of the newest run')
    .option('--node <id>', 'only logs of this node')
    .option('--operation <name>', 'only logs of this operation')
    .option('--since <time>', 'only logs that began since a date or within a length of time (12h, 7d)')
    .addOption(
      new Option('--format <format>', 'how it is written').choices(['markdown', 'html']).default('markdown'),
    )
    .action(calls(async () => (await import('./commands/report.ts')).reportCommand))

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
    .action(calls(async () => (await import('./commands/show.ts')).transcriptCommand))

  command('compact', 'Remove raw output whose time is over, and compress old logs.', [
    'compact --older-than 30d                # says what would be removed',
    'compact --older-than 30d --apply        # removes it',
    'compact --max-size 2GB --no-keep-errors --apply',
    'compact --archive-older-than 90d --apply',
  ])
    .option('--older-than <time>', 'raw output of agents that ended longer ago (30d, 4w)')
    .option('--max-size <size>', 'the most that all raw output may have together (500MB, 2GB)')
    .option('--keep-errors', 'keep it of agents and calls that failed')
    .option('--no-keep-errors', 'of those too')
    .option('--archive-older-than <time>', 'compress logs of agents that ended longer ago')
    .option('--apply', 'do it; without this nothing is changed')
    .action(calls(async () => (await import('./commands/retention.ts')).compactCommand))

  command('redact [pattern]', "Take a secret or a person's data out of every log, blob and file, for good.", [
    'redact "Ada Lovelace"                          # says what would change',
    'redact "Ada Lovelace" --yes --reason "asked for by the person"',
    'redact - --yes < secret.txt                    # not in the history of your shell',
    'redact --secrets --yes',
    'redact --regex "[\\w.]+@example[.]com" --yes',
  ])
    .option('--secrets', 'whatever the detector of secrets finds, and the keys of the environment')
    .option('--regex', 'the pattern is a regular expression')
    .option('--reason <text>', 'recorded in the tombstone of each log')
    .option('--yes', 'do it; without this it only says what would change')
    .action(calls(async () => (await import('./commands/retention.ts')).redactCommand))
}
