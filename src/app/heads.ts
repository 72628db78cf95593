import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { tryParse } from '../core/event/json.ts'
import type { Head, Store } from '../core/store/store.ts'
import { codeOf, TwotrackError } from '../errors.ts'
import { git } from '../files/git.ts'
import { personFolder } from '../files/own-folder.ts'
import { sha256 } from '../sha256.ts'
import { isOwnKey, readSigned, type SignedHeads, signHeads } from '../trust/heads.ts'

/** Heads of one project's logs that are kept outside of it; above this only the latest stay. */
const HEADS_BYTES_MAX = 16 * 1024 * 1024

/** What logs were compared with, for people: heads kept elsewhere, of when, and of how many logs. */
export interface Compared {
  readonly with: 'signed heads' | 'git note' | 'file'
  readonly time?: string
  readonly logs: number
  /** Where another person's key signed: which. */
  readonly key?: string
}

/** Heads that were kept elsewhere, by agent. */
export interface KeptHeads {
  readonly compared: readonly Compared[]
  readonly heads: ReadonlyMap<string, readonly Head[]>
  /** Logs that have to be there. */
  readonly expected: readonly string[]
  /** Logs that this person signed here and that went with the folder they were in. */
  readonly gone: readonly string[]
  /** Lines that nobody signed, or that were changed since. */
  readonly unsigned: number
}

const NOTES = 'twotrack'
const COMMITS_MAX = 1_000

function placeOf(store: Store, folder: string): Pick<SignedHeads, 'place' | 'made'> {
  if (store.place !== undefined) return { place: `${store.kind} ${store.place}`, made: '' }
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false })
  const place = `${store.kind} ${found ? realpathSync(folder) : folder}`
  return { place, made: found ? `${found.ino} ${found.birthtimeNs}` : '' }
}

const fileFor = ({ place }: Pick<SignedHeads, 'place'>): string =>
  join(personFolder(process.env), 'heads', `${sha256(place).slice(0, 32)}.jsonl`)

/** A store that, when it is closed, signs where the logs end that were written, and keeps that outside the project. */
export function keepingHeads(store: Store, folder: string): Store {
  const written = new Set<string>()
  return {
    ...store,
    open(agentId) {
      written.add(agentId)
      return store.open(agentId)
    },
    async close() {
      const agents = [...written]
      written.clear()
      if (agents.length > 0) await keepHeads(store, folder, agents)
      await store.close()
    },
  }
}

/** Where it can't be kept nothing is: `verify` says so. */
async function keepHeads(store: Store, folder: string, agents: readonly string[]): Promise<void> {
  const place = placeOf(store, folder)
  const file = fileFor(place)
  try {
    const before = latestOf(ownIn(file).filter(({ made }) => made === place.made))
    const heads: SignedHeads['heads'] = []
    for (const agent_id of agents) {
      const head = await store.head(agent_id)
      // Nothing is signed that does not follow from what was.
      if (head && (await leadsTo(store, agent_id, before.get(agent_id)))) heads.push({ agent_id, ...head })
    }
    const signed =
      heads.length > 0 && signHeads(process.env, { ...place, time: new Date().toISOString(), heads })
    if (!signed) return
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    appendFileSync(file, `${JSON.stringify(signed)}\n`, { mode: 0o600 })
    if (statSync(file).size > HEADS_BYTES_MAX) shorten(file, place)
  } catch (thrown) {
    if (!(thrown instanceof TwotrackError) && codeOf(thrown) === undefined) throw thrown
  }
}

async function leadsTo(store: Store, agentId: string, head: Head | undefined): Promise<boolean> {
  if (!head) return true
  for await (const { hash } of store.readLines(agentId, { from: head.seq, to: head.seq }))
    return hash === head.hash
  return false
}

/** One line in place of many. */
function shorten(file: string, place: Pick<SignedHeads, 'place' | 'made'>): void {
  const heads = [...latestOf(ownIn(file).filter(({ made }) => made === place.made))].map(
    ([agent_id, head]) => ({ agent_id, ...head }),
  )
  const signed = signHeads(process.env, { ...place, time: new Date().toISOString(), heads })
  if (signed) writeFileSync(file, `${JSON.stringify(signed)}\n`, { mode: 0o600 })
}

const ownIn = (file: string): SignedHeads[] =>
  readSigned(textOf(file)).signed.filter((one) => isOwnKey(process.env, one))

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return ''
    throw thrown
  }
}

function latestOf(signed: readonly SignedHeads[]): Map<string, Head> {
  const latest = new Map<string, Head>()
  for (const { heads } of signed)
    for (const { agent_id, seq, hash } of heads)
      if (seq >= (latest.get(agent_id)?.seq ?? 0)) latest.set(agent_id, { seq, hash })
  return latest
}

/**
 * All heads that can be found: signed ones of this person, those in git notes of the project, and those of a file. `present`:
 * the logs that are there.
 */
export async function findHeads(
  store: Store,
  { folder, project }: { readonly folder: string; readonly project?: string },
  file: { readonly name: string; readonly text: string } | undefined,
  present: readonly string[],
): Promise<KeptHeads> {
  const place = placeOf(store, folder)
  const own = readSigned(textOf(fileFor(place)))
  const noted = readSigned(await notesIn(project))
  const mine = own.signed.filter((one) => isOwnKey(process.env, one))
  const heads = new Map<string, Head[]>()
  const compared: Compared[] = []
  const given = file ? headsIn(file) : new Map<string, Head>()
  const here = latestOf(mine.filter(({ made }) => made === place.made))
  const expected = [...here.keys(), ...given.keys()]
  const wanted = new Set([...present, ...expected])
  const add = (kind: Compared['with'], latest: Map<string, Head>, of?: SignedHeads) => {
    const known = [...latest].filter(([agentId]) => wanted.has(agentId))
    if (known.length === 0) return
    const key = of && !isOwnKey(process.env, of) ? { key: of.key } : {}
    compared.push({ with: kind, logs: known.length, ...(of ? { time: of.time } : {}), ...key })
    for (const [agentId, head] of known) heads.set(agentId, [...(heads.get(agentId) ?? []), head])
  }
  add('signed heads', latestOf(mine), mine.at(-1))
  for (const signed of byKey(noted.signed)) add('git note', latestOf(signed), signed.at(-1))
  add('file', given)
  return {
    ...{ compared, heads, expected },
    gone: [...latestOf(mine).keys()].filter((agentId) => !wanted.has(agentId)),
    unsigned: own.signed.length - mine.length + own.other + noted.other,
  }
}

const byKey = (signed: readonly SignedHeads[]): SignedHeads[][] =>
  Object.values(Object.groupBy(signed, ({ key }) => key)).map((group = []) =>
    group.toSorted((a, b) => (a.time < b.time ? -1 : 1)),
  )

/** Notes of the last commits; nothing where there is no git, or no repository. */
async function notesIn(project: string | undefined): Promise<string> {
  if (project === undefined) return ''
  const shown = ['log', `-${COMMITS_MAX}`, `--notes=${NOTES}`, '--format=%N']
  const found = await git(project, shown)
  return found?.code === 0 ? found.stdout.toString() : ''
}

/** Keeps where all logs of a store end now as a note of the last commit. Throws where there is no commit. */
export async function noteHeads(
  store: Store,
  { folder, project }: { readonly folder: string; readonly project?: string },
  heads: SignedHeads['heads'],
): Promise<void> {
  const place = placeOf(store, folder)
  const signed = signHeads(process.env, { ...place, time: new Date().toISOString(), heads })
  const file = `${fileFor(place)}.${process.pid}.note`
  if (!signed) throw noNote('there is no place to keep a key')
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, `${JSON.stringify(signed)}\n`, { mode: 0o600 })
    const as = ['-c', 'user.name=twotrack', '-c', 'user.email=twotrack@localhost']
    const done = await git(project ?? folder, [...as, 'notes', `--ref=${NOTES}`, 'append', '-F', file])
    if (done?.code !== 0) throw noNote(done?.stderr.trim() ?? 'git gave no answer')
  } finally {
    rmSync(file, { force: true })
  }
}

const noNote = (why: string) =>
  new TwotrackError(
    'io',
    `The heads can't be kept as a git note: ${why}. The project must be a git repository with a commit.`,
  )

const headsSchema = z.object({
  logs: z.array(
    z.object({ agent_id: z.string(), head: z.object({ seq: z.number(), hash: z.string() }).optional() }),
  ),
})

/** Of an earlier `verify --json`, or signed ones. */
function headsIn({ name, text }: { readonly name: string; readonly text: string }): Map<string, Head> {
  const parsed = headsSchema.safeParse(tryParse(text))
  if (parsed.success)
    return new Map(
      parsed.data.logs.flatMap(({ agent_id, head }) => (head ? [[agent_id, head] as const] : [])),
    )
  const { signed, other } = readSigned(text)
  if (signed.length > 0 && other === 0) return latestOf(signed)
  throw new TwotrackError(
    'bad_argument',
    `${name} is neither the output of "twotrack verify --json" nor a file of signed heads as they were written.`,
  )
}
