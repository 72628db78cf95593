import type { ToolContext } from '../../src/tool/tool.ts'
import { put, scratch } from '../workspace/scratch.ts'

/** The context of a call in a workspace with these files. */
export async function contextWith(
  files: Record<string, string | Uint8Array> = {},
  more: Partial<ToolContext> = {},
): Promise<ToolContext> {
  const workspace = await scratch()
  await put(workspace, files)
  return {
    workspace,
    node: { id: 'a.py:f', type: 'function' },
    signal: new AbortController().signal,
    ...more,
  }
}
