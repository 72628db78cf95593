import { TwotrackError } from '../../errors.ts'

/** A program that may be run. Plain data, so that an agent's YAML can hold it. */
export interface CommandRule {
  /** Compared as a whole with what is asked for: a bare name found on PATH, or an absolute path. */
  readonly program: string
  /** The first arguments must be these: `['-m', 'pytest']`. */
  readonly starts?: readonly string[]
  /** Options that are refused, in every form: `-c` also means `-cVALUE`, `--config` also `--config=VALUE` and `--conf`. */
  readonly refuse?: readonly string[]
}

/** Throws `bad_argument`, saying what is allowed, unless a rule lets this command through. */
export function assertAllowed(argv: readonly string[], allow: readonly CommandRule[]): void {
  const [program, ...args] = argv
  if (program === undefined || program === '') {
    throw new TwotrackError('bad_argument', 'No program is named; give it as the first item of argv.')
  }
  if (argv.some((item) => item.includes('\0'))) {
    throw new TwotrackError('bad_argument', 'A NUL character cannot be part of a command.')
  }
  if (allow.some((rule) => matches(rule, program, args))) return
  throw new TwotrackError(
    'bad_argument',
    `${JSON.stringify(argv.join(' ').slice(0, 200))} is not an allowed command. Allowed: ${allow.map(ruleText).join('; ') || 'none'}.`,
  )
}

function matches(rule: CommandRule, program: string, args: readonly string[]): boolean {
  if (rule.program !== program) return false
  if (rule.starts?.some((wanted, index) => args[index] !== wanted)) return false
  return !args.some((arg) => rule.refuse?.some((refused) => means(arg, refused)))
}

/**
 * Whether an argument is that option, in any of the forms that programs take: `-c`, `-cVALUE`, among others as in
 * `-Ic`; `--config`, `--config=VALUE`, shortened as in `--conf`. Where it is in doubt it is.
 */
function means(arg: string, option: string): boolean {
  if (arg === option) return true
  if (/^-[^-]$/.test(option))
    return arg.startsWith(option) || (/^-[A-Za-z]+/.exec(arg)?.[0] ?? '').includes(option.slice(1))
  const [name = ''] = arg.split('=', 1)
  if (name === option) return true
  if (option.startsWith('--')) return name.length > 2 && name.startsWith('--') && option.startsWith(name)
  return option.startsWith('-') && arg.startsWith(option)
}

const ruleText = ({ program, starts = [], refuse = [] }: CommandRule): string =>
  [program, ...starts, '…'].join(' ') + (refuse.length === 0 ? '' : ` (without ${refuse.join(', ')})`)
