// A harness starts a process with this at each of its steps, so it imports nothing but Node: what the package's other modules
// load would take longer than all that is done here.
import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

/**
 * What hooks were told and no log has yet: a file each, so that hooks at the same time need no lock and never wait, and one
 * that is killed leaves a file without its ending, which nobody reads. Names rise with time.
 * @internal
 */
export const spoolFolder = (root: string): string => join(root, '.agentfs', 'spool')

const ENDING = '.event'
const BAD_ENDING = '.bad'

export interface Spooled {
  /** Unique, and in the order in which things happened. */
  readonly name: string
  readonly harness: string
  /** When the hook was told. */
  readonly at: string
  /** As the harness gave it. */
  readonly payload: string
}

/** Of this process: one that is told several things in a millisecond keeps their order. */
let count = 0

/** Of one thing that is told; a harness cuts outputs long before. */
const SPOOLED_BYTES_MAX = 64 * 1024 * 1024
const PRIVATE_FILE = 0o600

/** Stores what a harness told; on disk when it resolves. The order is that of the calls. */
export async function spool(
  root: string,
  harness: string,
  payload: Uint8Array,
  now = new Date(),
): Promise<void> {
  const name = `${now.getTime()}-${++count}-${process.pid}`
  const folder = spoolFolder(root)
  const records = join(root, '.agentfs')
  if (!isFolder(records) || !isFolder(folder)) await make(folder, records)
  const path = join(folder, name)
  const file = openSync(path, 'wx', PRIVATE_FILE)
  try {
    const head = JSON.stringify({ v: 1, harness, at: now.toISOString() })
    // One that is cut is no JSON any more: it is set aside when it is read.
    writeAll(file, Buffer.concat([Buffer.from(`${head}\n`), payload.subarray(0, SPOOLED_BYTES_MAX)]))
    fsyncSync(file)
  } catch (cause) {
    rmSync(path, { force: true })
    throw cause
  } finally {
    closeSync(file)
  }
  renameSync(path, path + ENDING)
  syncFolder(folder)
}

/** Once in a project. One that was just cloned can bring a link that leads anywhere. */
async function make(folder: string, records: string): Promise<void> {
  const { makeFolder } = await import('../files/disk.ts')
  makeFolder(records)
  if (!isFolder(records)) throw new Error(`${records} is no folder, so nothing is recorded; remove it`)
  makeFolder(folder)
  if (!isFolder(folder)) throw new Error(`${folder} is no folder, so nothing is recorded; remove it`)
}

/** A link to one is none. */
const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}

/** The names of what waits, oldest first. */
export function spooledIn(root: string): string[] {
  try {
    const names = readdirSync(spoolFolder(root)).filter((name) => name.endsWith(ENDING))
    return names.map((name) => name.slice(0, -ENDING.length)).sort(byTime)
  } catch {
    return []
  }
}

const byTime = (one: string, other: string): number => {
  const [a, b] = [one.split('-').map(Number), other.split('-').map(Number)]
  return (a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0)
}

/** One that waits; undefined where another process took it, or it is none: then it is set aside. */
export function readSpooled(root: string, name: string): Spooled | undefined {
  let text: string
  try {
    text = readFileSync(join(spoolFolder(root), name + ENDING), 'utf8')
  } catch {
    return undefined
  }
  const end = text.indexOf('\n')
  const head = headIn(text.slice(0, end))
  if (end < 0 || !head) return setAside(root, name)
  return { name, ...head, payload: text.slice(end + 1) }
}

function headIn(line: string): Pick<Spooled, 'harness' | 'at'> | undefined {
  try {
    const { harness, at } = JSON.parse(line)
    return typeof harness === 'string' && typeof at === 'string' ? { harness, at } : undefined
  } catch {
    return undefined
  }
}

/** What nobody can read stays for a person to look at. */
export function setAside(root: string, name: string): undefined {
  const path = join(spoolFolder(root), name)
  try {
    renameSync(path + ENDING, path + BAD_ENDING)
  } catch {
    // Another process was faster.
  }
}

/** Takes away what the log has. */
export function removeSpooled(root: string, name: string): void {
  rmSync(join(spoolFolder(root), name + ENDING), { force: true })
}
