import { type Command, Option } from 'commander'

const TRUST = ['--trust', 'trust what this project brings, for this command'] as const

type AddCommand = (name: string, description: string, examples: readonly string[]) => Command

/**
 * The commands of the main job: run agents, look at what they propose, take it or not. Each is loaded when it is
 * called: linters, parsers and model clients are large, and most commands need none of them.
 */
export function addRunCommands(
  command: AddCommand,
  done: (code: number) => void,
  wholeNumber: (value: string) => number,
): void {
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
          'when to exit with 1: failures (tests fail, a linter did not run), problems too, or never',
        )
          .choices(['never', 'problems', 'failures'])
          .default('failures'),
      )
      .option(...TRUST)
      .option('--built-in', 'the built-in agent, though the project has one of its name')

  withRun(
    command('run <agent> [paths...]', 'Run an agent on every node under the paths.', [
      'run lint src/',
      'run docstring src/app.py --model functiongemma --url http://127.0.0.1:8080',
      'run test . --json',
    ]),
  ).action(async (agent, paths, options) =>
    done(await (await import('./commands/run.ts')).runCommand(agent, paths, options)),
  )

  withRun(
    command('resume <agents...>', 'Go on with agents from their logs.', ['resume lint-src-app.py']),
  ).action(async (agents, options) =>
    done(await (await import('./commands/resume.ts')).resumeCommand(agents, options)),
  )

  command('changes [agents...]', 'Show what agents propose to change.', [
    'changes',
    'changes lint-src-app.py',
    'changes --stat',
  ])
    .option('--run <id>', 'of this run')
    .option('--stat', 'only the files and counts')
    .action(async (agents, options) =>
      done(await (await import('./commands/review.ts')).changesCommand(agents, options)),
    )

  command('accept [agents...]', 'Take proposed changes into the project.', [
    'accept --all',
    'accept lint-src-app.py',
  ])
    .option('--all', 'of every agent')
    .option('--run <id>', 'of this run')
    .option('--partial', 'take the files that have no conflict')
    .action(async (agents, options) =>
      done(await (await import('./commands/review.ts')).acceptCommand(agents, options)),
    )

  command('reject [agents...]', 'Throw proposed changes away.', [
    'reject lint-src-app.py',
    'reject --all --reason "too noisy"',
  ])
    .option('--all', 'of every agent')
    .option('--run <id>', 'of this run')
    .option('--reason <text>', 'recorded with it')
    .action(async (agents, options) =>
      done(await (await import('./commands/review.ts')).rejectCommand(agents, options)),
    )

  withRun(
    command('retry [agents...]', 'Reject, and let a new agent try the same again.', [
      'retry lint-src-app.py',
      'retry --all --model openai:gpt-oss-20b',
    ]),
  )
    .option('--all', 'every agent that proposes changes')
    .option('--run <id>', 'of this run')
    .action(async (agents, options) =>
      done(await (await import('./commands/retry.ts')).retryCommand(agents, options)),
    )

  command('clean', 'Remove workspaces and copies that no command needs any more.', [
    'clean --dry-run',
    'clean',
  ])
    .option('--dry-run', 'only say what would be removed')
    .action(async (options) => done(await (await import('./commands/clean.ts')).cleanCommand(options)))

  withRun(
    command('watch <agent> [paths...]', 'Run an agent on every file that is saved.', ['watch lint src/']),
  )
    .option('--debounce <ms>', 'wait this long for more saves (default: 500)', wholeNumber)
    .action(async (agent, paths, options) =>
      done(await (await import('./commands/watch.ts')).watchCommand(agent, paths, options)),
    )

  withRun(
    command('compare <agent> <path>', 'Run the same task with packet, transcript and both.', [
      'compare lint src/app.py',
    ]),
  ).action(async (agent, path, options) =>
    done(await (await import('./commands/compare.ts')).compareCommand(agent, path, options)),
  )

  command('escalate <agent>', 'Print what somebody else needs to help an agent.', [
    'escalate lint-src-app.py --tokens 4000',
  ])
    .option('--tokens <n>', 'size of the bundle (default: 6000)', wholeNumber)
    .action(async (agent, options) =>
      done(await (await import('./commands/escalate.ts')).escalateCommand(agent, options)),
    )

  command('trust', 'Show what this project brings that needs your trust, and decide.', [
    'trust',
    'trust --list --json',
    'trust --yes      # without being asked',
    'trust --revoke   # forget every decision about this project',
  ])
    .option('--yes', 'trust all that is shown')
    .option('--list', 'only show it')
    .option('--revoke', 'forget what was trusted of this project')
    .action(async (options) => done(await (await import('./commands/trust.ts')).trustCommand(options)))

  withModel(command('agents', 'List the agents: valid? does the model answer?', ['agents', 'agents --json']))
    .option(...TRUST)
    .action(async (options) => done(await (await import('./commands/agents.ts')).agentsCommand(options)))

  command('doctor', 'Check everything a run needs.', ['doctor', 'doctor --json'])
    .option(...TRUST)
    .action(async (options) => done(await (await import('./commands/doctor.ts')).doctorCommand(options)))

  command('init', 'Write a commented twotrack.yaml here.', ['init']).action(async (options) =>
    done(await (await import('./commands/init.ts')).initCommand(options)),
  )
}
