/** Where a project's hub keeps its things. One hub a project, one folder a hub. */

import { lstatSync, mkdirSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve, sep } from 'node:path'
import { TwotrackError } from '../../errors.ts'
import { isWithin } from '../../files/confine.ts'
import { refuseLinks } from '../../files/disk.ts'
import { SOCKET_PATH_BYTES_MAX } from '../../limits.ts'
import { resolveRoot } from '../../nodes/find.ts'
import { sha256 } from '../../sha256.ts'

export interface HubPlace {
  /** The project's top folder, without symbolic links. */
  root: string
  folder: string
  index: string
  lock: string
  /** Who runs: pid and start, for people and for `stop`. Only as good as the lock says. */
  info: string
  log: string
  socket: string
  /** Whether a path of the project is in Twotrack's own folder. */
  isOwn: (path: string) => boolean
}

/** A folder in the temporary one that only this user can enter; another's would let them answer in the hub's place. */
const privateFolder = (): string => {
  const user = process.getuid?.() ?? 0
  const folder = join(tmpdir(), `twotrack-${user}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const stats = lstatSync(folder)
  if (!stats.isDirectory() || stats.uid !== user || (stats.mode & 0o077) !== 0)
    throw new TwotrackError(
      'io',
      `${folder} is not a folder of yours alone, so the hub's socket can't be put there. Remove it.`,
    )
  return folder
}

const socketAt = (folder: string): string => {
  const digest = sha256(folder).slice(0, 16)
  if (process.platform === 'win32') return `\\\\.\\pipe\\twotrack-${digest}`
  const near = join(folder, 'hub.sock')
  return Buffer.byteLength(near) <= SOCKET_PATH_BYTES_MAX ? near : join(privateFolder(), `${digest}.sock`)
}

/** `folder` is where Twotrack keeps its records, `.agentfs` in the project unless told otherwise. */
export const hubPlace = async (project: string, folder = join(project, '.agentfs')): Promise<HubPlace> => {
  const root = await resolveRoot(project)
  if (isWithin(resolve(project), resolve(folder))) refuseLinks(resolve(folder))
  const own = await realpath(folder).catch(() => resolve(folder))
  const inside = relative(root, own).split(sep).join('/')
  return {
    root,
    folder: own,
    index: join(own, 'hub.db'),
    lock: join(own, 'hub.lock'),
    info: join(own, 'hub.json'),
    log: join(own, 'hub.log'),
    socket: socketAt(own),
    isOwn: (path) => inside !== '' && (path === inside || path.startsWith(`${inside}/`)),
  }
}
