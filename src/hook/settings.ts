import { isObject, type Json, type JsonObject } from '../core/event/json.ts'
import { TwotrackError } from '../errors.ts'

/** A command that a harness starts at one of its events. */
export interface HookCommand {
  readonly event: string
  /** Only where the event is one of these. */
  readonly matcher?: string
  readonly command: string
  readonly timeout: number
}

/** Whether a command is one that this package put there, by whatever Node and from wherever. */
const isOurs = (command: unknown): boolean =>
  typeof command === 'string' && /[\\/]app[\\/]hook-process\.[jt]s" (?:claude-code|codex) \w+$/.test(command)

/** The settings of a harness with these commands in place of those that were put there before; none takes them out. */
export function withHooks(text: string | null, commands: readonly HookCommand[], file: string): string {
  const settings = text === null || text.trim() === '' ? {} : parsed(text, file)
  const given = settings['hooks'] ?? {}
  const hooks = withoutOurs(given, file)
  for (const { event, matcher, command, timeout } of commands)
    hooks[event] = [
      ...(hooks[event] ?? []),
      { ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: 'command', command, timeout }] },
    ]
  // As the person wrote them, to the byte.
  if (text !== null && JSON.stringify(hooks) === JSON.stringify(given)) return text
  const { hooks: _, ...others } = settings
  const made = { ...settings, hooks }
  const indent = /\n([ \t]+)"/.exec(text ?? '')?.[1] ?? '  '
  const end = text === null || text.endsWith('\n') ? '\n' : ''
  const written = JSON.stringify(Object.keys(hooks).length > 0 ? made : others, null, indent) + end
  return text?.includes('\r\n') ? written.replaceAll('\n', '\r\n') : written
}

function parsed(text: string, file: string): JsonObject {
  try {
    const value = JSON.parse(text) as Json // what parses is JSON
    if (isObject(value)) return value
  } catch {
    // Told below.
  }
  throw new TwotrackError(
    'bad_config',
    `${file} is not a JSON object, so nothing is put into it. Correct it first; it begins ${JSON.stringify(text.slice(0, 60))}.`,
  )
}

function withoutOurs(hooks: Json, file: string): Record<string, Json[]> {
  if (!isObject(hooks) || !Object.values(hooks).every(Array.isArray))
    throw new TwotrackError(
      'bad_config',
      `"hooks" in ${file} is not an object of lists, so nothing is put into it. Correct it first.`,
    )
  return Object.fromEntries(
    Object.entries(hooks).flatMap(([event, groups]): [string, Json[]][] => {
      const given = Array.isArray(groups) ? groups : []
      const kept = given.flatMap(groupWithoutOurs)
      // A list that was empty before stays.
      return kept.length > 0 || given.length === 0 ? [[event, kept]] : []
    }),
  )
}

function groupWithoutOurs(group: Json): Json[] {
  const commands = isObject(group) ? group['hooks'] : undefined
  if (!isObject(group) || !Array.isArray(commands)) return [group]
  const others = commands.filter((one) => !(isObject(one) && isOurs(one['command'])))
  if (others.length === commands.length) return [group]
  return others.length === 0 ? [] : [{ ...group, hooks: others }]
}
