import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { z } from 'zod'
import { tryParse } from '../core/event/json.ts'
import { codeOf, TwotrackError } from '../errors.ts'
import { diskError, makeFolder, replaceFile } from '../files/disk.ts'
import { sha256 } from '../sha256.ts'
import type { HarnessName } from './harnesses.ts'
import { type HookCommand, withHooks } from './settings.ts'

export type Scope = 'project' | 'user'

/** Where a person, a project and this package are. */
export interface Places {
  readonly root: string
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where this package keeps what is the person's own. */
  readonly state: string
  /** The Node that runs the hook, the file that it runs, and the plugin for a harness that takes one. */
  readonly node: string
  readonly hook: string
  readonly plugin: string
  /** Whether a plugin sends the packet in place of the messages. */
  readonly instead?: boolean
}

/** One file of a harness's settings as it is and as it will be; null where there is none. */
export interface SettingsChange {
  readonly file: string
  readonly before: string | null
  readonly after: string | null
}

/** In seconds: the first folds what waits and makes a packet. */
const START_TIMEOUT = 30
const TIMEOUT = 15

const EVENTS: Readonly<Record<'claude-code' | 'codex', readonly string[]>> = {
  'claude-code': [
    ...['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure'],
    ...['Stop', 'SubagentStop', 'PostCompact'],
  ],
  codex: ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'Stop', 'SubagentStop', 'PostCompact'],
}

/** Not where a session is resumed: its model has the packet already, and would get it twice. */
const STARTS = 'startup|clear|compact'

/** A person's link is followed, as to their dotfiles. One that a project brings could lead anywhere. */
function settingsFile(harness: HarnessName, scope: Scope, places: Places): string {
  const file = nameOf(harness, scope, places)
  if (scope === 'user') return existsSync(file) ? realpathSync(file) : file
  for (let at = file; relative(places.root, at) !== ''; at = dirname(at))
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new TwotrackError(
        'untrusted',
        `${at} is a link, and a project could bring one that leads anywhere, so nothing is put into it. Use --user.`,
      )
  return file
}

function nameOf(harness: HarnessName, scope: Scope, { root, home, env }: Places): string {
  const at = (name: string, fallback: string) => {
    const given = env[name]
    return given !== undefined && isAbsolute(given) ? given : join(home, fallback)
  }
  const isUser = scope === 'user'
  switch (harness) {
    case 'claude-code':
      return isUser
        ? join(at('CLAUDE_CONFIG_DIR', '.claude'), 'settings.json')
        : join(root, '.claude', 'settings.local.json')
    case 'codex':
      return join(isUser ? at('CODEX_HOME', '.codex') : join(root, '.codex'), 'hooks.json')
    case 'opencode': {
      const folder = isUser ? join(at('XDG_CONFIG_HOME', '.config'), 'opencode') : join(root, '.opencode')
      return join(folder, 'plugins', 'twotrack.js')
    }
  }
}

/** What installing changes. Nothing is written. */
export function installing(harness: HarnessName, scope: Scope, places: Places): SettingsChange {
  const file = settingsFile(harness, scope, places)
  const before = textOf(file)
  const after =
    harness === 'opencode' ? pluginText(places) : withHooks(before, commandsOf(harness, places), file)
  return { file, before, after }
}

/**
 * What removing changes: the file as it was before, byte for byte, where it is still as installing left it; else it is
 * left as it is but for what installing put there.
 */
export async function removing(harness: HarnessName, scope: Scope, places: Places): Promise<SettingsChange> {
  const file = settingsFile(harness, scope, places)
  const before = textOf(file)
  if (before === null) return { file, before, after: null }
  const known = (await installed(places)).find((one) => one.file === file)
  if (known?.sha256 === sha256(before)) return { file, before, after: known.before }
  if (harness === 'opencode') return { file, before, after: before.includes(places.plugin) ? null : before }
  const after = withHooks(before, [], file)
  return { file, before, after: after.trim() === '{}' && known?.before === null ? null : after }
}

/** Writes a change, and remembers what was there before it, or forgets that. */
export async function writeSettings(
  change: SettingsChange,
  places: Places,
  isInstall: boolean,
): Promise<void> {
  const { file, before, after } = change
  const known = await installed(places)
  const others = known.filter((one) => one.file !== file)
  const earlier = known.find((one) => one.file === file && before !== null && one.sha256 === sha256(before))
  // Known before it is done: a removal finds the way back even if this process ends in between.
  if (isInstall && after !== null) {
    const entry = { file, before: earlier ? earlier.before : before, sha256: sha256(after) }
    await writeInstalled(places, [...others, { ...entry, folders: earlier?.folders ?? missingAbove(file) }])
  }
  if (after === null) {
    rmSync(file, { force: true })
    for (const folder of known.find((one) => one.file === file)?.folders ?? []) removeEmpty(folder)
  } else if (after !== before) {
    makeFolder(dirname(file))
    const mode = modeOf(file)
    await replaceFile(file, Buffer.from(after), true)
    if (mode !== undefined) chmodSync(file, mode)
  }
  if (!isInstall) await writeInstalled(places, others)
}

const commandsOf = (harness: 'claude-code' | 'codex', { node, hook }: Places): HookCommand[] =>
  EVENTS[harness].map((event) => ({
    event,
    ...(event === 'SessionStart' ? { matcher: STARTS } : {}),
    command: `"${node}" "${hook}" ${harness} ${event}`,
    timeout: event === 'SessionStart' ? START_TIMEOUT : TIMEOUT,
  }))

const pluginText = ({ plugin, node, hook, instead }: Places): string =>
  [
    '// Records sessions for Twotrack and gives its packet back. "twotrack hook remove opencode" takes it away.',
    `import { recording } from ${JSON.stringify(plugin)}`,
    '',
    `export const Twotrack = recording(${JSON.stringify({ node, hook, instead })})`,
    '',
  ].join('\n')

function textOf(file: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file))
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return null
    if (codeOf(cause) !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw diskError('read', file, cause)
    throw new TwotrackError(
      'bad_config',
      `${file} is not UTF-8, so nothing is put into it. Correct it first.`,
    )
  }
}

/** Who may read and write a file that is there; throws if this person may not write it. */
function modeOf(file: string): number | undefined {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode
  if (mode === undefined) return undefined
  try {
    accessSync(file, constants.W_OK)
  } catch (cause) {
    throw diskError('write', file, cause)
  }
  return mode & 0o777
}

/** Folders that will be made for a file, the deepest first. */
function missingAbove(file: string): string[] {
  const folders: string[] = []
  for (let folder = dirname(file); !existsSync(folder); folder = dirname(folder)) folders.push(folder)
  return folders
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Somebody put something into it since.
  }
}

const entrySchema = z.object({
  file: z.string(),
  /** What it was before. */
  before: z.string().nullable(),
  /** Of what installing made of it. */
  sha256: z.string(),
  /** That did not exist before. */
  folders: z.array(z.string()),
})
type Entry = z.infer<typeof entrySchema>

/** Beside what the person trusts: outside every project. */
const installedFile = ({ state }: Places): string => join(state, 'hooks.json')

async function installed(places: Places): Promise<Entry[]> {
  const text = textOf(installedFile(places))
  return z.array(entrySchema).safeParse(tryParse(text ?? '')).data ?? []
}

async function writeInstalled(places: Places, entries: readonly Entry[]): Promise<void> {
  const file = installedFile(places)
  makeFolder(dirname(file))
  await replaceFile(file, Buffer.from(`${JSON.stringify(entries, null, 2)}\n`), true)
}
