import { type HookAction, type HookPlan, planHook } from '../../app/hooks.ts'
import { TwotrackError } from '../../errors.ts'
import type { Scope } from '../../hook/install.ts'
import type { CommandWords } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import { type Found, type Lines, paint, remark, safe, self } from '../output.ts'
import { indentedPatch } from '../patch-lines.ts'
import { askYes } from '../terminal.ts'

interface HookOptions extends CommonOptions {
  readonly project?: boolean
  readonly user?: boolean
  readonly yes?: boolean
  readonly instead?: boolean
}

/** Puts the hook that records sessions into a harness's settings, or takes it out. Shows the change and asks first. */
async function hookCommand(action: string, harness: string, options: HookOptions): Promise<Found> {
  if (action !== 'install' && action !== 'remove')
    throw new TwotrackError('bad_argument', `"${action}" is not what a hook can do: install or remove.`)
  if (options.project && options.user)
    throw new TwotrackError('bad_argument', 'Give --project or --user, not both.')
  const scope: Scope = options.user ? 'user' : 'project'
  const plan = await planHook(action, harness, scope, options)
  const isAgreed = plan.patch !== '' && (options.yes === true || (await agreed(plan)))
  if (isAgreed) await plan.write()
  const { file, patch } = plan
  return {
    json: { action, harness, scope, file, changed: isAgreed, patch },
    code: isAgreed || patch === '' ? 0 : 2,
    lines: () => linesOf(action, plan, isAgreed, options.instead === true),
  }
}

/** Without a terminal nobody is there to agree. */
async function agreed({ patch, file }: HookPlan): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false
  for (const line of indentedPatch(patch, ' ')) remark(line)
  return askYes(`Write this to ${safe(file)}? [y/N] `)
}

const NEXT: Readonly<Record<string, string>> = {
  'claude-code': 'Start a new session of Claude Code here',
  codex: 'Start Codex here; it asks once whether you trust this project and its hooks',
  opencode: 'Start OpenCode here',
}

function linesOf(action: HookAction, plan: HookPlan, isAgreed: boolean, instead: boolean): Lines {
  const { file, harness, scope, patch } = plan
  if (patch === '')
    return [action === 'install' ? `${safe(file)} has it already.` : `${safe(file)} has nothing of it.`]
  const typed = `${self} hook ${action} ${harness} --${scope}${instead ? ' --instead' : ''} --yes`
  return [
    ...(isAgreed && process.stdin.isTTY && process.stderr.isTTY ? [] : indentedPatch(patch, ' ')),
    !isAgreed && `Nothing was changed. To write what is shown above: ${typed}`,
    isAgreed && `${action === 'install' ? 'Wrote' : 'Restored'} ${safe(file)}.`,
    isAgreed &&
      action === 'install' &&
      paint('dim', `Next: ${NEXT[harness]} · ${self} runs · ${self} handover`),
  ]
}

export default {
  takes: '<action> <harness>',
  usage: '[options] install|remove claude-code|codex|opencode',
  examples: [
    'hook install claude-code            # for this project',
    'hook install codex --user           # for all of yours',
    'hook install opencode --instead    # no history: the packet alone, from the first answer on',
    'hook remove claude-code',
  ],
  options: [
    ['--project', 'in the settings of this project that are yours alone (default)'],
    ['--user', 'in your own settings, for every project'],
    ['--yes', 'without being asked'],
    ['--instead', 'OpenCode: send the packet in place of the messages, not beside them'],
  ],
  call: hookCommand,
} satisfies CommandWords
