import { randomBytes } from 'node:crypto'
import { closeSync, openSync, realpathSync, writeFileSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeId } from '../core/store/encode-id.ts'
import type { Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import { makeFolder, PRIVATE_FILE } from '../files/disk.ts'
import { readRegular } from '../files/files.ts'
import { inFolder } from '../files/held.ts'
import { SAID_CHARS_MAX } from '../limits.ts'
import type { Inbox } from '../run/inbox.ts'
import { agentOf } from './agents.ts'

const ENDING = '.txt'
const WAITING_MAX = 100

/** Words for an agent are files of a folder of its own: each is put there whole, and opened without following a link. */
const within = <T>(
  folder: string,
  agentId: string,
  work: (folder: string) => Promise<T>,
  make = false,
): Promise<T | undefined> => {
  const top = realpathSync.native(folder)
  return inFolder(top, join(top, 'inbox', encodeId(agentId)), `inbox of ${agentId}`, work, { make })
}

const namesOf = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith(ENDING)).sort()

/** The inbox of an agent, for the process that runs it. */
export const inboxOf = (folder: string, agentId: string): Inbox => ({
  async waiting() {
    const read = (held: string) =>
      namesOf(held).then((names) =>
        Promise.all(
          names.map(async (name) => ({
            name,
            text: (await readRegular(join(held, name), name)).toString('utf8'),
          })),
        ),
      )
    const found = (await within(folder, agentId, read)) ?? []
    return found.map(({ name, text }) => ({
      text: text.slice(0, SAID_CHARS_MAX),
      async done() {
        await within(folder, agentId, (held) => rm(join(held, name), { force: true }))
      },
    }))
  },
})

/** What became of words that were left for an agent. */
export interface Left {
  readonly agent_id: string
  /** Whether it is at work now; otherwise it reads them when somebody goes on with it. */
  readonly at_work: boolean
}

/** Leaves words for an agent, which takes them in at its next turn. Throws `missing`, `limit` and `conflict`. */
export async function sayTo(
  { store, folder }: { readonly store: Store; readonly folder: string },
  agentId: string,
  given: string,
): Promise<Left> {
  const text = given.trim()
  if (text === '')
    throw new TwotrackError('bad_argument', 'There is nothing to say: write it after the name.')
  if (text.length > SAID_CHARS_MAX)
    throw new TwotrackError(
      'limit',
      `That has ${text.length} characters; the most is ${SAID_CHARS_MAX}. Say it in fewer words.`,
    )
  const { reason, outcome } = await agentOf(store, agentId)
  if (reason === 'submitted' || reason === 'imported')
    throw new TwotrackError(
      'conflict',
      reason === 'imported'
        ? `"${agentId}" was recorded elsewhere: nobody takes in what is said to it here.`
        : `"${agentId}" has handed in its result and does not go on. "twotrack retry ${agentId}" begins anew.`,
    )
  makeFolder(folder)
  await within(folder, agentId, (held) => leave(held, text), true)
  return { agent_id: agentId, at_work: outcome === 'open' }
}

/** Under a name that nobody reads until it is whole; names sort by time. */
async function leave(folder: string, text: string): Promise<void> {
  if ((await namesOf(folder)).length >= WAITING_MAX)
    throw new TwotrackError('limit', `${WAITING_MAX} messages wait for this agent already.`)
  const name = `${Date.now().toString().padStart(15, '0')}-${randomBytes(4).toString('hex')}`
  const fd = openSync(join(folder, `${name}.part`), 'wx', PRIVATE_FILE)
  try {
    writeFileSync(fd, text)
  } finally {
    closeSync(fd)
  }
  await rename(join(folder, `${name}.part`), join(folder, name + ENDING))
}
