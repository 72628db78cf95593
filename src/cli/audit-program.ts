import type { Command } from 'commander'

type AddCommand = (name: string, description: string, examples: readonly string[]) => Command

/** The commands that find out why: each is loaded when it is called. */
export function addAuditCommands(
  command: AddCommand,
  done: (code: number) => void,
  wholeNumber: (value: string) => number,
): void {
  command('why <agent> <pointer>', 'Show where a value of the packet comes from: event, call, raw bytes.', [
    'why import-run /last_error',
    'why import-run /knowledge/python --turn 7',
    'why import-run "1 of 11 tests failed"   # text as the packet shows it',
  ])
    .option('--turn <n>', 'in the packet after this turn (default: the last)', wholeNumber)
    .action(async (agent, pointer, options) =>
      done(await (await import('./commands/why.ts')).whyCommand(agent, pointer, options)),
    )
}
