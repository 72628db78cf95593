import type { Command } from 'commander'
import { TwotrackError } from '../errors.ts'

export const shells = ['bash', 'zsh', 'fish'] as const

/** A completion script made from the commands themselves, so that it can't fall behind them. */
export function completionScript(root: Command, shell: string): string {
  const commands = root.commands.map((command) => ({
    name: command.name(),
    description: command.description().replaceAll("'", ''),
    options: command.options.flatMap((option) => option.long ?? []).concat('--help'),
  }))
  switch (shell) {
    case 'bash':
      return bash(commands)
    case 'zsh':
      return `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`
    case 'fish':
      return fish(commands)
    default:
      throw new TwotrackError('bad_argument', `No completion for "${shell}"; there is: ${shells.join(', ')}.`)
  }
}

interface Described {
  readonly name: string
  readonly description: string
  readonly options: readonly string[]
}

const bash = (commands: readonly Described[]): string => `_twotrack() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${commands.map((command) => command.name).join(' ')}"
  else
    case "\${COMP_WORDS[1]}" in
${commands.map((command) => `      ${command.name}) words="${command.options.join(' ')}" ;;`).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  case "$word" in -*) ;; *) [ "$COMP_CWORD" -gt 1 ] && COMPREPLY+=($(compgen -f -- "$word")) ;; esac
}
complete -F _twotrack twotrack`

const fish = (commands: readonly Described[]): string =>
  commands
    .flatMap(({ name, description, options }) => [
      `complete -c twotrack -n __fish_use_subcommand -a ${name} -d '${description}'`,
      ...options.map(
        (option) => `complete -c twotrack -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
      ),
    ])
    .join('\n')
