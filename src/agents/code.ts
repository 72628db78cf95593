import { openHub } from '../hub/open.ts'
import type { CodeGraph } from '../nodes/edges.ts'
import type { ToolContext } from '../tool/tool.ts'
import { perRun, projectFolder } from './per-run.ts'

/** Where a tool is called without a hub, the project is read for this run alone. */
const ownHub = perRun(async (context) => openHub({ project: projectFolder(context), folder: null }))

/** All of the code as the agent sees it now. */
export const codeNow = async (context: ToolContext): Promise<CodeGraph> => {
  if (context.code) return context.code()
  const hub = await ownHub(context)
  return hub.at(context.workspace).graph(context.signal)
}

/** All of the code as it was when the run began to ask. */
export const codeAtStart = perRun(codeNow)
