import { realpath } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ignore from 'ignore'
import { z } from 'zod'
import { canonical, isObject, type Json } from '../core/event/json.ts'
import { inside, lstatIfThere, segmentsOf } from '../files/confine.ts'
import { linearPattern } from '../linear-pattern.ts'

/** An argument that a policy's pattern is compared with; a longer one is refused. */
const POLICY_ARGUMENT_CHARS_MAX = 10_000

const pattern = z.string().refine((text) => {
  try {
    linearPattern(text)
    return true
  } catch {
    return false
  }
}, 'a regular expression for the whole value, without (?=…), (?<=…) and \\1: those can take for ever')
const names = z.array(z.string().min(1))

/** What an agent may do with its tools, whatever its model says. What is left out is not restricted. */
export const policySchema = z.strictObject({
  /** The tools that may be called, of those that the agent has. */
  tools: names.exactOptional(),
  /** Tool → argument → a regular expression that its whole value must match; of a list, each item. */
  args: z.record(z.string(), z.record(z.string(), pattern)).exactOptional(),
  /** Files and folders that arguments may name, as in a .gitignore: `src/`, `tests/**\/*.py`. */
  paths: names.exactOptional(),
  /** Hosts that arguments may name: `api.example.com`, `*.example.com`. Commands have no network, whatever the list. */
  network: names.exactOptional(),
  /** Calls that a person has to approve: names of tools, or `effect` and `idempotent` for all of that kind. */
  ask: names.exactOptional(),
})
export type Policy = z.infer<typeof policySchema>

export interface JudgedCall {
  readonly tool: string
  readonly args: Json
  readonly effect: string
}

export type Verdict =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'ask' }

/** Whether a call may run. Links in the workspace are followed, so that none leads out of the allowed paths. */
export async function judge(policy: Policy, call: JudgedCall, workspace?: string): Promise<Verdict> {
  const why =
    wrongTool(policy, call) ??
    wrongArgument(policy, call) ??
    wrongHost(policy, call) ??
    (await wrongPath(policy, call, workspace))
  if (why !== undefined) return { kind: 'refused', why }
  const asks = policy.ask?.some((name) => name === call.tool || name === call.effect) === true
  return { kind: asks ? 'ask' : 'allowed' }
}

function wrongTool({ tools }: Policy, { tool }: JudgedCall): string | undefined {
  if (tools === undefined || tools.includes(tool)) return undefined
  return `${tool} may not be called; allowed: ${tools.join(', ') || 'none'}`
}

function wrongArgument({ args: rules }: Policy, { tool, args }: JudgedCall): string | undefined {
  const own = rules !== undefined && Object.hasOwn(rules, tool) ? rules[tool] : undefined
  for (const [name, text] of Object.entries(own ?? {})) {
    const value = isObject(args) && Object.hasOwn(args, name) ? args[name] : undefined
    if (value === undefined) continue // what the tool needs is checked by the tool
    const values = (Array.isArray(value) ? value : [value]).map(valueText)
    const wrong = values.find(
      (one) => one.length > POLICY_ARGUMENT_CHARS_MAX || !linearPattern(text).matches(one),
    )
    if (wrong !== undefined) return `${name} of ${tool} is ${shown(wrong)}; it must match ${text}`
  }
  return undefined
}

const valueText = (value: unknown): string => (typeof value === 'string' ? value : canonical(value as Json))

/** No scheme is longer; of one that is, its end is found. */
const URL_TEXT = /[a-z][a-z0-9+.-]{0,30}:[\\/]{2}[^\s"'<>]*|(?:https?|wss?|ftp):[\\/][^\s"'<>]*/gi
const HAS_HOST = /^(?:https?|wss?|ftp|file):\S*$/i
/** `//host/path`, which takes the scheme of where it stands. */
const WITHOUT_SCHEME = /^[\\/]{2}[^\s\\/]\S*$/
/** `git@host:path`, as ssh and git take it; without a user only where the argument's name says that it is a host. */
const LIKE_SCP = /^[^\s@:/\\]+@([^\s@:/\\]+):\S*$/
const HOST_NAMES =
  /(?:url|uri|href|host|hostname|domain|endpoint|server|proxy|webhook|registry|gateway|website)s?$/i

function wrongHost({ network }: Policy, { args }: JudgedCall): string | undefined {
  if (network === undefined) return undefined
  for (const { name, text } of textsIn(args)) {
    const urls = urlsIn(text)
    // A host without a scheme is one only where the argument's name says so.
    const bare = urls.length === 0 && HOST_NAMES.test(name) && text !== '' ? [`https://${text}`] : []
    const wrong = [...urls, ...bare].find((url) => !isAllowedHost(network, url))
    if (wrong !== undefined)
      return `${shown(wrong)} is not among the allowed hosts: ${network.join(', ') || 'none'}`
  }
  return undefined
}

/** Addresses in a text; of a text that is one as a whole, as programs read it: they drop tabs and line ends anywhere in it. */
function urlsIn(text: string): string[] {
  const whole = withoutEnds(text.replace(/[\t\n\r]/g, ''))
  const scp = LIKE_SCP.exec(whole)?.[1]
  return [
    ...(text.match(URL_TEXT) ?? []),
    ...(HAS_HOST.test(whole) ? [whole] : []),
    ...(WITHOUT_SCHEME.test(whole) ? [`https:${whole}`] : []),
    ...(scp === undefined ? [] : [`ssh://${scp}`]),
  ]
}

/** A pattern for the end would begin at each space within. */
function withoutEnds(text: string): string {
  let end = text.length
  while (end > 0 && text.charCodeAt(end - 1) <= SPACE) end--
  return text.slice(0, end).replace(/^[\0- ]+/, '')
}
const SPACE = 0x20

function isAllowedHost(allowed: readonly string[], text: string): boolean {
  // A backslash ends a host for a browser and not for others, who would go to another one.
  if (!URL.canParse(text) || /^[^/\\:]*:[\\/]*[^\\/?#]*\\/.test(text)) return false
  const { hostname } = new URL(text)
  return allowed.some((name) => {
    const wanted = name.toLowerCase()
    return wanted.startsWith('*.') ? hostname.endsWith(wanted.slice(1)) : hostname === wanted
  })
}

const PATH_NAMES = /(?:path|file|filename|dir|directory|folder|cwd|root|src|dest|source|destination)s?$/i

async function wrongPath(
  { paths }: Policy,
  { args }: JudgedCall,
  workspace: string | undefined,
): Promise<string | undefined> {
  if (paths === undefined) return undefined
  const allowed = ignore({ ignorecase: !tellsCaseApart(workspace) }).add([...paths])
  for (const { name, text } of textsIn(args)) {
    const isAddress = /^\s*file:/i.test(text)
    if (!isAddress && !PATH_NAMES.test(name)) continue
    const path = await (isAddress ? addressPlace(text, workspace) : callPlace(text, workspace)).catch(
      () => undefined,
    )
    if (path === undefined || path === '' || !allowed.ignores(path))
      return `${name} is ${shown(text)}; allowed: ${paths.join(', ') || 'none'}`
  }
  return undefined
}

/** Whether `SRC/` is another folder than `src/` there: a rule for one must then not hold for the other. */
function tellsCaseApart(folder = process.cwd()): boolean {
  const other = folder === folder.toLowerCase() ? folder.toUpperCase() : folder.toLowerCase()
  const [here, there] = [lstatIfThere(folder), lstatIfThere(other)]
  return here === undefined || there === undefined || here.ino !== there.ino || here.dev !== there.dev
}

/** Where a path really leads, relative to the workspace. */
async function callPlace(path: string, workspace: string | undefined): Promise<string> {
  if (workspace === undefined) return segmentsOf(path).join('/')
  return relative(await realpath(workspace), await inside(workspace, path))
    .split(sep)
    .join('/')
}

/** The same of an address of a file, whatever the argument is called. */
async function addressPlace(address: string, workspace: string | undefined): Promise<string | undefined> {
  if (workspace === undefined) return undefined
  const [root, path] = [await realpath(workspace), fileURLToPath(address.trim())]
  const within = [root, workspace].map((one) => relative(one, path)).find((one) => !one.startsWith('..'))
  return within === undefined ? undefined : callPlace(within, workspace)
}

/** A key that is a path or an address, as in `files: { 'src/a.ts': '…' }`. */
const NAMES_NO_FIELD = /[./\\:]/

/** Every text in the arguments, with the name it stands under. */
function* textsIn(value: Json, name = ''): Generator<{ name: string; text: string }> {
  if (typeof value === 'string') yield { name, text: value }
  else if (Array.isArray(value)) for (const item of value) yield* textsIn(item, name)
  else if (isObject(value))
    for (const [key, item] of Object.entries(value)) {
      if (name !== '' && NAMES_NO_FIELD.test(key)) yield { name, text: key }
      yield* textsIn(item as Json, key)
    }
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 100))
