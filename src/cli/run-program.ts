import { type Command, Option } from 'commander'
import type { Found } from './output.ts'

const TRUST = ['--trust', 'trust what this project brings, for this command'] as const

/** Takes arguments and options as commander gives them. One that prints by itself gives its exit code. */
type CommandFunction = (...given: never[]) => Promise<Found | number>
type AddCommand = (name: string, description: string, examples: readonly string[]) => Command

export interface Kit {
  readonly command: AddCommand
  /** Takes the name of one agent, or `--last`. */
  readonly oneAgent: AddCommand
  /** Takes names of agents, or `--last`. */
  readonly agents: AddCommand
  /** What a command does, loaded when it is called: linters, parsers and model clients are large, and most need none. */
  readonly calls: (load: () => Promise<CommandFunction>) => (...given: unknown[]) => Promise<void>
  readonly wholeNumber: (value: string) => number
}

/** The commands of the main job: run agents, look at what they propose, take it or not. */
export function addRunCommands({ command, oneAgent, agents, calls, wholeNumber }: Kit): void {
  const withModel = (made: Command): Command =>
    made
      .option(
        '--model <adapter[:name]>',
        'first-candidate, functiongemma[:name], openai:name, or a server: ollama:name',
      )
      .option('--url <address>', 'of the model server')
  const withRun = (made: Command): Command =>
    withModel(made)
      .addOption(
        new Option('--context <mode>', 'what the model is given').choices(['packet', 'messages', 'both']),
      )
      .option('--max-turns <n>', 'turns per agent', wholeNumber)
      .option('--concurrency <n>', 'agents at the same time', wholeNumber)
      .option('--no-hub', 'do not ask the hub about the code')
      .addOption(
        new Option(
          '--fail-on <what>',
          'when to exit with 1: problems (any is left, or an agent failed), only failures, or never',
        )
          .choices(['never', 'problems', 'failures'])
          .default('problems'),
      )
      .option(...TRUST)
      .option('--built-in', 'the built-in agent, though the project has one of its name')

  withRun(
    command('run <agent> [paths...]', 'Run an agent on every node under the paths.', [
      'run lint src/',
      'run lint --changed                  # what differs from the last commit',
      'run docstring --changed=main src/   # what this branch changed',
      'run docstring src/app.py:App.run    # one node by its key',
      'run docstring src/app.py --model functiongemma --url http://127.0.0.1:8080',
      'run test . --json',
    ]),
  )
    .option('--changed [base]', 'only what git says changed since this revision (default: the last commit)')
    .action(calls(async () => (await import('./commands/run.ts')).runCommand))

  const ofRun = (made: Command): Command => made.option('--run <id>', 'of this run')
  const ofAll = (made: Command): Command => ofRun(made).option('--all', 'of every agent')

  withRun(
    ofRun(
      agents('resume', 'Go on with agents from their logs.', [
        'resume lint#3',
        'resume --last               # everything of the newest run, begun or not',
        'resume lint-src-app.py --max-turns 30',
      ]),
    ),
  ).action(calls(async () => (await import('./commands/resume.ts')).resumeCommand))

  ofRun(
    agents('changes', 'Show what agents propose to change, as a patch.', [
      'changes',
      'changes lint#3',
      'changes --last --stat',
      'twotrack changes | git apply',
      'changes --accepted',
    ]),
  )
    .option('--stat', 'only the files and counts')
    .option('--accepted', 'what was accepted, instead of what is proposed')
    .action(calls(async () => (await import('./commands/changes.ts')).changesCommand))

  ofRun(
    agents('review', 'Go through proposed changes and decide about each.', [
      'review',
      'review --last',
      'review lint#3',
    ]),
  ).action(calls(async () => (await import('./commands/review.ts')).reviewCommand))

  ofAll(
    agents('accept', 'Take proposed changes into the project.', [
      'accept --all',
      'accept --last',
      'accept lint#3 lint#5',
      'accept --last --test',
    ]),
  )
    .option('--partial', 'take the files that have no conflict')
    .option('--test', 'run the tests that belong to these files first, and take nothing if one fails')
    .option('--no-test', 'do not ask about tests')
    .option(...TRUST)
    .action(calls(async () => (await import('./commands/accept.ts')).acceptCommand))

  ofAll(
    agents('reject', 'Throw proposed changes away.', ['reject lint#3', 'reject --all --reason "too noisy"']),
  )
    .option('--reason <text>', 'recorded with it')
    .action(calls(async () => (await import('./commands/accept.ts')).rejectCommand))

  withRun(
    ofAll(
      agents('retry', 'Reject, and let a new agent try the same again.', [
        'retry lint#3',
        'retry --all --model openai:gpt-oss-20b',
      ]),
    ),
  ).action(calls(async () => (await import('./commands/retry.ts')).retryCommand))

  command('clean', 'Remove workspaces and copies that no command needs any more.', [
    'clean --dry-run',
    'clean',
  ])
    .option('--dry-run', 'only say what would be removed')
    .action(calls(async () => (await import('./commands/clean.ts')).cleanCommand))

  withRun(
    command('watch <agent> [paths...]', 'Run an agent on every file that is saved.', ['watch lint src/']),
  )
    .option('--debounce <ms>', 'wait this long for more saves (default: 500)', wholeNumber)
    .action(calls(async () => (await import('./commands/watch.ts')).watchCommand))

  withRun(
    command('compare <agent> <path>', 'Run the same task with packet, transcript and both.', [
      'compare lint src/app.py',
    ]),
  ).action(calls(async () => (await import('./commands/compare.ts')).compareCommand))

  oneAgent('escalate', 'Print what somebody else needs to help an agent, or put their answer back.', [
    'escalate lint#3 --tokens 4000',
    'twotrack escalate lint#3 --answer advice.txt && twotrack resume lint#3',
    'twotrack escalate lint#3 | llm -m large | twotrack escalate lint#3 --answer - --by large',
  ])
    .option('--tokens <n>', 'size of the bundle (default: 6000)', wholeNumber)
    .option('--answer <file>', 'record the answer in this file, or from standard input for -')
    .option('--by <model>', 'with --answer: the model that gave it (default: a person)')
    .action(calls(async () => (await import('./commands/escalate.ts')).escalateCommand))

  command('trust', 'Show what this project brings that needs your trust, and decide.', [
    'trust',
    'trust --list --json',
    'trust --yes      # without being asked',
    'trust --revoke   # forget every decision about this project',
  ])
    .option('--yes', 'trust all that is shown')
    .option('--list', 'only show it')
    .option('--revoke', 'forget what was trusted of this project')
    .action(calls(async () => (await import('./commands/trust.ts')).trustCommand))

  withModel(command('agents', 'List the agents: valid? does the model answer?', ['agents', 'agents --json']))
    .option(...TRUST)
    .action(calls(async () => (await import('./commands/doctor.ts')).agentsCommand))

  withModel(
    command('doctor', 'Check everything a run needs; the model is asked for one small call.', [
      'doctor',
      'doctor --model ollama:qwen3',
      'doctor --json',
    ]),
  )
    .option(...TRUST)
    .action(calls(async () => (await import('./commands/doctor.ts')).doctorCommand))

  command('init', 'Write a commented twotrack.yaml here.', ['init']).action(
    calls(async () => (await import('./commands/config.ts')).initCommand),
  )
}
