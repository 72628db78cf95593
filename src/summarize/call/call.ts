import { isObject, type Json } from '../../core/event/json.ts'
import { readShell } from '../../text/shell.ts'
import { fieldText } from '../fields.ts'
import { intentOfArguments } from './arguments.ts'
import type { CallMeaning, Intent, ReadIntent } from './intent.ts'
import { labelOf } from './label.ts'
import { patchesIn } from './patch.ts'
import { shellChanges } from './shell-changes.ts'
import { shellIntent } from './shell-intent.ts'

const COMMAND = ['command', 'cmd', 'script', 'bash', 'shell_command']

/** Names that say that something is done with a file, not that it is shown. */
const DOES =
  /(?:^|[_.-])(?:run|exec(?:ute)?|tests?|pytest|lint|check|typecheck|build|compile|format|validate|delete|remove|create|make|mkdir|move|rename|copy)(?:$|[_.-])/i

/** Names that say that what is shown is no file but what is in a folder. */
const LISTS = /(?:^|[_.-])(?:ls|list|tree|dirs?|director(?:y|ies)|folders?)(?:$|[_.-])/i

/** And no file but places where something is. */
const FINDS = /(?:^|[_.-])(?:find|search|grep|glob|locate)(?:$|[_.-])/i

/** Tools differ in their names far more than in what they ask for: so the arguments decide, unless the name denies it. */
export function readCall(tool: string, args: Json): CallMeaning {
  const command = shellCommand(args)
  if (command === undefined) {
    const { intent: meant, changes } = intentOfArguments(args)
    const intent = meant.kind === 'read' ? readOrOther(tool, meant) : meant
    return { intent, changes, programs: [], label: labelOf(tool, args, intent) }
  }
  const programs = readShell(command)
  const changes = patchesIn(command) ?? shellChanges(programs)
  const intent = shellIntent(command, programs, changes)
  return { intent, changes, programs, label: labelOf(tool, args, intent) }
}

function readOrOther(tool: string, meant: ReadIntent): Intent {
  // `listDirectory` says what `list_directory` says.
  const name = tool.replace(/([a-z])([A-Z])/g, '$1_$2')
  if (DOES.test(name)) return { kind: 'other' }
  if (FINDS.test(name)) return { kind: 'search', pattern: meant.path }
  return LISTS.test(name) ? { kind: 'list', path: meant.path } : meant
}

/** A list of words is a command too, as some shells take it: `["bash", "-lc", "ls"]`. */
function shellCommand(args: Json): string | undefined {
  if (typeof args === 'string') return args
  if (!isObject(args)) return undefined
  const listed = args['command'] ?? args['cmd']
  if (Array.isArray(listed) && listed.length > 0 && listed.every((word) => typeof word === 'string'))
    return listed.length === 3 && /^-\w*c$/.test(listed[1] ?? '') ? listed[2] : listed.join(' ')
  const named = fieldText(args, ['path', 'file_path', 'filename'])
  return named === undefined ? fieldText(args, COMMAND) : undefined
}
