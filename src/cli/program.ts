import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { addWords, type CommandWords } from './command.ts'

type Commands = Readonly<
  Record<string, readonly [about: string, load: () => Promise<{ default: CommandWords }>]>
>

/** Every command below its heading: what it is for, and its file, which is loaded when it is wanted. Linters, parsers and clients are large. */
const groups: Readonly<Record<string, Commands>> = {
  'Run agents:': {
    run: ['Run an agent on every node under the paths.', () => import('./commands/run.ts')],
    resume: ['Go on with agents from their logs.', () => import('./commands/resume.ts')],
    say: ['Say something to an agent that is at work.', () => import('./commands/say.ts')],
    approve: ['Let a call run that waits for a person, or not.', () => import('./commands/approve.ts')],
    escalate: [
      'Print what somebody else needs to help an agent, or put their answer back.',
      () => import('./commands/escalate.ts'),
    ],
    worker: ['Do jobs of runs that were queued, here or elsewhere.', () => import('./commands/worker.ts')],
    queue: ['Show, pause, follow, cancel or retry what workers do.', () => import('./commands/queue.ts')],
  },
  'Decide about what they propose:': {
    changes: ['Show what agents propose to change, as a patch.', () => import('./commands/changes.ts')],
    review: ['Go through proposed changes and decide about each.', () => import('./commands/review.ts')],
    accept: ['Take proposed changes into the project.', () => import('./commands/accept.ts')],
    reject: ['Throw proposed changes away.', () => import('./commands/reject.ts')],
    retry: ['Reject, and let a new agent try the same again.', () => import('./commands/retry.ts')],
  },
  'See what happened, and why:': {
    runs: ['List the agents that ran, and what became of them.', () => import('./commands/runs.ts')],
    show: ['Show what happened, event by event.', () => import('./commands/show.ts')],
    inspect: [
      'Open a local page that shows what agents did, and why.',
      () => import('./commands/inspect.ts'),
    ],
    report: [
      'What was asked, done, changed, failed, and what it cost.',
      () => import('./commands/report.ts'),
    ],
    replay: ['Fold the packet from the log, as it was at any turn.', () => import('./commands/replay.ts')],
    diff: ['Show what changed in the packet between two turns.', () => import('./commands/diff.ts')],
    why: [
      'Show where a value of the packet comes from: event, call, raw bytes.',
      () => import('./commands/why.ts'),
    ],
    blindspots: [
      'List what raw output said and the packet did not show when it mattered.',
      () => import('./commands/blindspots.ts'),
    ],
    whatif: [
      'Fold old logs with other summarizers, another limit or another view, beside what they are.',
      () => import('./commands/whatif.ts'),
    ],
  },
  'Other agents, harnesses and languages:': {
    hook: [
      'Record sessions of Claude Code, Codex or OpenCode as they go, and give the packet back.',
      () => import('./commands/hook.ts'),
    ],
    handover: [
      'Print the packet of the last session, for whoever goes on with it.',
      () => import('./commands/handover.ts'),
    ],
    import: ['Record trajectories of other harnesses as logs.', () => import('./commands/import.ts')],
    serve: ['Memory for an agent in any language, by JSON-RPC.', () => import('./commands/serve.ts')],
    mcp: [
      'Answer an MCP client about the logs, on standard input and output.',
      () => import('./commands/mcp.ts'),
    ],
  },
  'Keep the records:': {
    verify: ['Check logs, blobs, prompts and indexes.', () => import('./commands/verify.ts')],
    export: ['Write logs to standard output.', () => import('./commands/export.ts')],
    compact: [
      'Remove raw output whose time is over and workspaces that nobody needs, and compress old logs.',
      () => import('./commands/compact.ts'),
    ],
    redact: [
      "Take a secret or a person's data out of every log, blob and file, for good.",
      () => import('./commands/redact.ts'),
    ],
    reveal: [
      'Give back what placeholders of secrets stand for, where originals are kept.',
      () => import('./commands/reveal.ts'),
    ],
  },
  'Know the code:': {
    nodes: ['List the nodes of code under the paths.', () => import('./commands/nodes.ts')],
    hub: [
      'Say what is known of nodes of code: who calls them, which tests do.',
      () => import('./commands/hub.ts'),
    ],
  },
  'Set up:': {
    init: ['Write a commented twotrack.yaml here.', () => import('./commands/init.ts')],
    doctor: [
      'Check everything a run needs; the model is asked for one small call.',
      () => import('./commands/doctor.ts'),
    ],
    trust: [
      'Show what this project brings that needs your trust, and decide.',
      () => import('./commands/trust.ts'),
    ],
    config: [
      'Show the configuration in force and where it comes from.',
      () => import('./commands/config.ts'),
    ],
  },
}

/**
 * The command line: names, arguments, help. `done` is given each command's exit code. Of what is typed only the commands
 * that it names are loaded; without it all are.
 */
export async function program(done: (code: number) => void, typed?: readonly string[]): Promise<Command> {
  const root = new Command('twotrack')
    .description('Event-sourced memory for tool-calling agents: a log for people, a packet for the model.')
    .version(version())
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for the arguments and examples)')
    .configureHelp({ sortSubcommands: false })
  for (const [heading, commands] of Object.entries(groups)) {
    root.commandsGroup(heading)
    for (const [name, [about, load]] of Object.entries(commands)) {
      const command = root.command(name).description(about)
      if (!typed || typed.includes(name)) addWords(command, (await load()).default, done)
    }
  }
  root.helpCommand('help [command]', 'display help for command') // below the last heading
  return root
}

/** The same two folders up from `src/cli` and from `dist/cli`. */
function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return String((JSON.parse(text) as { version?: unknown }).version)
}
