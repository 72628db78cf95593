import type { SharedRun, ToolContext } from '../tool/tool.ts'

/** Finds something out once for all agents of a run; for an agent by itself, whenever it asks. */
export function perRun<Found>(
  find: (context: ToolContext) => Promise<Found>,
): (context: ToolContext) => Promise<Found> {
  const known = new WeakMap<SharedRun, Promise<Found>>()
  return (context) => {
    const { shared } = context
    const found = (shared && known.get(shared)) ?? find(context)
    if (shared) known.set(shared, found)
    return found
  }
}

/** Where the files of the whole project are read from; those that the agent changed are in its workspace alone. */
export const projectFolder = ({ project, workspace }: Pick<ToolContext, 'project' | 'workspace'>): string =>
  project ?? workspace
