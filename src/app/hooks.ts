import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defined } from '../core/event/json.ts'
import { TwotrackError } from '../errors.ts'
import { personFolder } from '../files/own-folder.ts'
import { type HarnessName, harnesses, harnessNamed } from '../hook/harnesses.ts'
import {
  installing,
  type Places,
  removing,
  type Scope,
  type SettingsChange,
  writeSettings,
} from '../hook/install.ts'
import { type Side, unifiedDiff } from '../workspace/diff.ts'
import { configFor, type ProjectOptions } from './context.ts'

export type HookAction = 'install' | 'remove'

/** What installing or removing a hook changes. */
export interface HookPlan extends SettingsChange {
  readonly harness: HarnessName
  readonly scope: Scope
  /** Empty where nothing changes. */
  readonly patch: string
  /** Does it. */
  write(): Promise<void>
}

export async function planHook(
  action: HookAction,
  name: string,
  scope: Scope,
  options: ProjectOptions & { readonly instead?: boolean },
): Promise<HookPlan> {
  const harness = harnessMeant(name)
  if (options.instead && harness !== 'opencode')
    throw new TwotrackError(
      'bad_argument',
      `--instead is for opencode: ${harness} lets a hook add to what its model is sent, not replace it.`,
    )
  const places = { ...placesOf(options), ...defined({ instead: options.instead }) }
  const change =
    action === 'install' ? installing(harness, scope, places) : await removing(harness, scope, places)
  const { file, before, after } = change
  const patch = before === after ? '' : unifiedDiff(relative('/', file), sideOf(before), sideOf(after)).text
  return {
    ...change,
    harness,
    scope,
    patch,
    write: () => writeSettings(change, places, action === 'install'),
  }
}

function harnessMeant(name: string): HarnessName {
  const harness = harnessNamed(name)
  if (harness) return harness.name
  const known = harnesses.map((one) => one.name).join(', ')
  throw new TwotrackError('bad_argument', `"${name}" is not a harness that has hooks: ${known}.`)
}

/** The same files in `src` and in `dist`. */
function placesOf(options: ProjectOptions): Places {
  const here = (path: string): string => {
    const [source, built] = ['.ts', '.js'].map((ending) =>
      fileURLToPath(new URL(`../${path}${ending}`, import.meta.url)),
    )
    return source !== undefined && existsSync(source) ? source : (built ?? '')
  }
  return {
    root: configFor(options).root,
    home: homedir(),
    env: process.env,
    state: personFolder(process.env),
    node: process.execPath,
    hook: here('app/hook-process'),
    plugin: here('hook/opencode-plugin'),
  }
}

const sideOf = (text: string | null): Side | undefined =>
  text === null ? undefined : { content: Buffer.from(text), mode: '100644' }
