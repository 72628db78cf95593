import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CommonOptions } from './options.ts'
import { type Found, show } from './output.ts'

/** An option as it is written, what it is for, and how its value is read: by a function, or as one of these. */
export type OptionWords = readonly [
  flags: string,
  about: string,
  how?: ((value: string) => number) | readonly string[] | 'required',
  fallback?: string,
]

/** The words of a command, and what it does. What it is for stands in the list of all (program.ts). */
export interface CommandWords {
  /** Its arguments: `[agents...]`. */
  readonly takes?: string
  readonly usage?: string
  readonly examples: readonly string[]
  readonly options?: readonly OptionWords[]
  /** Takes arguments and options as commander gives them. */
  readonly call: (...given: never[]) => Promise<Found>
}

const COMMON: readonly OptionWords[] = [
  ['--store <kind>', 'where logs are kept', ['memory', 'jsonl', 'kv', 'postgres']],
  ['--folder <folder>', 'folder of the logs (default: .agentfs)'],
  ['--config <file>', 'configuration file (default: twotrack.yaml here or above)'],
]

/** Gives a command its words; `done` is given the exit code. */
export function addWords(command: Command, words: CommandWords, done: (code: number) => void): void {
  const { takes, usage, examples, options = [], call } = words
  if (takes !== undefined) command.arguments(takes)
  if (usage !== undefined) command.usage(usage)
  for (const option of options) command.addOption(optionOf(option))
  // Last, for whoever asks for help asks about the command.
  command.optionsGroup('Options of every command:')
  command.option('--json', 'print JSON')
  for (const option of COMMON) command.addOption(optionOf(option))
  command.option('--set <key=value>', 'override a configuration key; may be repeated', collect)
  const shown = examples.map((example) => `  $ ${example.includes('twotrack') ? '' : 'twotrack '}${example}`)
  command.addHelpText('after', `\nExamples:\n${shown.join('\n')}`)
  command.action(async (...given: unknown[]) => {
    const { json = false } = (given.at(-2) ?? {}) as CommonOptions
    done(await show(await call(...(given as never[])), json)) // commander's are of any type
  })
}

function optionOf([flags, about, how, fallback]: OptionWords): Option {
  const option = new Option(flags, about)
  if (how === 'required') return option.makeOptionMandatory().argParser(wholeNumber)
  if (typeof how === 'function') option.argParser(how)
  else if (how) option.choices(how)
  return fallback === undefined ? option : option.default(fallback)
}

const collect = (value: string, before: string[] = []): string[] => [...before, value]

export function wholeNumber(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError(`"${value}" is not a whole number from 0 on.`)
  return Number(value)
}

export function positiveNumber(value: string): number {
  const number = wholeNumber(value)
  if (number === 0) throw new InvalidArgumentError('It is at least 1.')
  return number
}

/** Which agents: one by its name, or several. */
export const LAST_AGENT: OptionWords = ['--last', 'the agent that began last']
export const LAST_RUN: OptionWords = ['--last', 'all agents of the newest run']
export const OF_RUN: OptionWords = ['--run <id>', 'of this run, or of the run of this agent: --run lint#3']
export const OF_ALL: OptionWords = ['--all', 'of every agent']

export const TRUST: OptionWords = ['--trust', 'trust what this project brings, for this command']

export const MODEL: readonly OptionWords[] = [
  [
    '--model <adapter[:name]>',
    'first-candidate, functiongemma[:name], openai:name, or a server: ollama:name',
  ],
  ['--url <address>', 'of the model server'],
]

/** Of every command that runs agents. */
export const RUN: readonly OptionWords[] = [
  ...MODEL,
  ['--context <mode>', 'what the model is given', ['packet', 'messages', 'both']],
  ['--max-turns <n>', 'turns per agent', positiveNumber],
  ['--concurrency <n>', 'agents at the same time', positiveNumber],
  [
    '--wait-approval <minutes>',
    'how long a call that needs a person waits for "twotrack approve", from any machine',
    wholeNumber,
  ],
  ['--no-hub', 'do not ask the hub about the code'],
  [
    '--fail-on <what>',
    'when to exit with 1: problems (any is left, or an agent failed), only failures, or never',
    ['never', 'problems', 'failures'],
    'problems',
  ],
  TRUST,
  ['--built-in', 'the built-in agent, though the project has one of its name'],
]
