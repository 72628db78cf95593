import { realpath } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { isWithin } from '../../files/confine.ts'
import { refuseLinksIn } from '../../files/refuse-links.ts'
import { resolveRoot } from '../../nodes/find.ts'

export interface HubPlace {
  /** The project's top folder, without symbolic links. */
  readonly root: string
  /** The index; '' for one that lives as long as it is open. */
  readonly index: string
  /** Whether a path of the project is in Twotrack's own folder. */
  isOwn(path: string): boolean
}

/** `folder` is where Twotrack keeps its records, `.agentfs` in the project unless told otherwise; null for nowhere. */
export const hubPlace = async (
  project: string,
  folder: string | null = join(project, '.agentfs'),
): Promise<HubPlace> => {
  const root = await resolveRoot(project)
  if (folder === null) return { root, index: '', isOwn: (path) => path.startsWith('.agentfs/') }
  if (isWithin(resolve(project), resolve(folder))) refuseLinksIn(resolve(project), resolve(folder))
  const own = await realpath(folder).catch(() => resolve(folder))
  const inside = relative(root, own).split(sep).join('/')
  return {
    root,
    index: join(own, 'hub.index'),
    isOwn: (path) => inside !== '' && (path === inside || path.startsWith(`${inside}/`)),
  }
}
