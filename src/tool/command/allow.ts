import { TwotrackError } from '../../errors.ts'

interface CommandRule {
  readonly program: string
  readonly starts?: readonly string[]
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
 * `-Ic` and `-0c`; `--config`, `--config=VALUE`, shortened as in `--conf`, with one dash or two. Where it is in doubt
 * it is.
 */
function means(arg: string, option: string): boolean {
  if (arg === option) return true
  const given = /^(--?)([^-=][^=]*)/.exec(arg)
  const refused = /^--?(?!-)(.+)/s.exec(option)
  if (!given || !refused) return false
  const [, dashes, name = ''] = given
  const [, wanted = ''] = refused
  if (wanted.length === 1) return dashes === '-' && (/^[^/\s]+/.exec(name)?.[0] ?? '').includes(wanted)
  if (dashes === '-' && name.startsWith(wanted)) return true
  return (dashes === '--' || name.length > 1) && wanted.startsWith(name)
}

const ruleText = ({ program, starts = [], refuse = [] }: CommandRule): string =>
  [program, ...starts, '…'].join(' ') + (refuse.length === 0 ? '' : ` (without ${refuse.join(', ')})`)
