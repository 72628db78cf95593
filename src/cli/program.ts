import { readFileSync } from 'node:fs'
import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import { addAuditCommands } from './audit-program.ts'
import { completionScript, shells } from './completion.ts'
import type { CommonOptions } from './options.ts'
import { print, printJson } from './output.ts'
import { addRunCommands, type Kit } from './run-program.ts'

/** The command line: names, arguments, help. `done` is given each command's exit code. */
export function program(done: (code: number) => void): Command {
  const root = new Command('twotrack')
    .description('Event-sourced memory for tool-calling agents: a log for people, a packet for the model.')
    .version(version())
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for the arguments and examples)')
    .configureHelp({ sortSubcommands: false })
  const command = (name: string, description: string, examples: readonly string[]) =>
    root
      .command(name)
      .description(description)
      .addOption(new Option('--store <kind>', 'where logs are kept').choices(['memory', 'jsonl', 'kv']))
      .option('--folder <folder>', 'folder of the logs (default: .agentfs)')
      .option('--config <file>', 'configuration file (default: twotrack.yaml here or above)')
      .option('--set <key=value>', 'override a configuration key; may be repeated', collect)
      .option('--json', 'print JSON')
      .addHelpText(
        'after',
        `\nExamples:\n${examples.map((example) => `  $ ${example.includes('twotrack') ? '' : 'twotrack '}${example}`).join('\n')}`,
      )

  const oneAgent: typeof command = (name, ...rest) =>
    command(`${name} [agent]`, ...rest).option('--last', 'the agent that began last')
  const agents: typeof command = (name, ...rest) =>
    command(`${name} [agents...]`, ...rest).option('--last', 'all agents of the newest run')
  const calls: Kit['calls'] =
    (load) =>
    async (...given) => {
      const found = await (await load())(...(given as never[])) // commander's are of any type
      if (typeof found === 'number') return done(found)
      const { json } = (given.at(-2) ?? {}) as CommonOptions
      if (json) printJson(found.json)
      else for (const line of found.lines()) if (typeof line === 'string') print(line)
      done(found.code ?? 0)
    }
  addRunCommands({ command, oneAgent, agents, calls, wholeNumber })

  command('import <files...>', 'Record trajectories of other harnesses as logs.', [
    'import run.jsonl',
    'import chat.json --agent friday-run',
    'import run.jsonl --views --store memory   # what a model would have seen after each turn',
    'cat messages.json | twotrack import -',
  ])
    .option('--views', 'print one JSON line per turn: {"turn", "view"}')
    .option('--agent <id>', 'name of the log (default: import-<file name>)')
    .action(calls(async () => (await import('./commands/import.ts')).importCommand))

  command('runs', 'List the recorded logs.', [
    'runs',
    'runs --last',
    'runs --operation lint --json',
    'runs --node src/app.py:App.run',
  ])
    .option('--node <id>', 'only logs of this node')
    .option('--run <id>', 'only logs of this run')
    .option('--last', 'only logs of the newest run')
    .option('--operation <name>', 'only logs of this operation')
    .action(calls(async () => (await import('./commands/runs.ts')).runsCommand))

  oneAgent('show', 'Show what happened, event by event.', [
    'show import-run',
    'show lint#3                             # the third lint agent of the newest run',
    'show --last --event 3',
    'show import-run --event 12 --raw > output.txt   # the raw output, byte for byte',
    'show import-run --follow',
  ])
    .option('--event <seq>', 'one event whole', wholeNumber)
    .option('--raw', 'with --event: its raw output, byte for byte')
    .option('--follow', 'go on as events are recorded')
    .action(calls(async () => (await import('./commands/show.ts')).showCommand))

  oneAgent('replay', 'Fold the packet from the log, as it was at any turn.', [
    'replay import-run',
    'replay import-run --turn 7 --json',
    'replay import-run --views   # one JSON line per turn',
  ])
    .option('--turn <n>', 'after the last event of this turn', wholeNumber)
    .option('--seq <n>', 'after this event', wholeNumber)
    .option('--views', 'print one JSON line per turn: {"turn", "view"}')
    .action(calls(async () => (await import('./commands/show.ts')).replayCommand))

  oneAgent('diff', 'Show what changed in the packet between two turns.', ['diff import-run --from 3 --to 4'])
    .requiredOption('--from <turn>', 'the earlier turn', wholeNumber)
    .requiredOption('--to <turn>', 'the later turn', wholeNumber)
    .action(calls(async () => (await import('./commands/show.ts')).diffCommand))

  addAuditCommands({ command, oneAgent, agents, calls, wholeNumber })

  agents('verify', 'Check logs, blobs, prompts and indexes.', [
    'verify',
    'verify --json > heads.json        # keep the heads elsewhere',
    'verify --heads heads.json         # and find a rewritten tail',
  ])
    .option('--heads <file>', 'heads kept from an earlier verify --json')
    .action(calls(async () => (await import('./commands/verify.ts')).verifyCommand))

  agents('export', 'Write logs to standard output.', [
    'export import-run > events.jsonl',
    'export import-run --format messages > chat.json',
  ])
    .addOption(
      new Option('--format <format>', 'events with their blobs put back, or the chat transcript')
        .choices(['events', 'messages'])
        .default('events'),
    )
    .action(calls(async () => (await import('./commands/show.ts')).exportCommand))

  command('summarize <file>', 'Show what the packet would learn from one output.', [
    'summarize output.txt --command "pytest -q"',
    'summarize rows.json --tool query_database --json',
    'eslint src | twotrack summarize -   # recognised by itself',
  ])
    .option('--tool <name>', 'the tool that gave it')
    .option('--command <line>', 'the shell command that gave it')
    .action(calls(async () => (await import('./commands/summarize.ts')).summarizeCommand))

  command('nodes [paths...]', 'List the nodes of code under the paths.', [
    'nodes src/',
    'nodes src/app.py --json',
  ]).action(calls(async () => (await import('./commands/nodes.ts')).nodesCommand))

  command('hub <nodes...>', 'Say what is known of nodes of code: who calls them, which tests do.', [
    'hub src/app.py:App.run',
    'hub src/app.py --json',
  ]).action(calls(async () => (await import('./commands/hub.ts')).hubCommand))

  command('config', 'Show the configuration in force and where it comes from.', [
    'config',
    'config --set runner.memory.packet_size_limit=2000 --json',
  ]).action(calls(async () => (await import('./commands/config.ts')).configCommand))

  root
    .command('completion')
    .description('Print a completion script for your shell.')
    .addArgument(new Argument('<shell>').choices(shells))
    .addHelpText(
      'after',
      '\nExamples:\n  $ twotrack completion bash >> ~/.bashrc\n  $ twotrack completion fish > ~/.config/fish/completions/twotrack.fish',
    )
    .action((shell) => {
      print(completionScript(root, shell))
      done(0)
    })
  return root
}

/** The same two folders up from `src/cli` and from `dist/cli`. */
function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return String((JSON.parse(text) as { version?: unknown }).version)
}

const collect = (value: string, before: string[] = []): string[] => [...before, value]

function wholeNumber(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError(`"${value}" is not a whole number.`)
  return Number(value)
}
