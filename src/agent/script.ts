import type { z } from 'zod'
import { defined, toJson } from '../core/event/json.ts'
import { nodeSource } from '../nodes/node.ts'
import { readNodeFile } from '../nodes/node-file.ts'
import type { RunCommandOptions } from '../tool/run-command.ts'
import type { Providers } from '../tool/sandbox/externals.ts'
import { scriptTool } from '../tool/sandbox/script-tool.ts'
import type { Tool, ToolContext } from '../tool/tool.ts'
import type { ScriptToolSpec } from './agent.ts'

/** A script tool of an agent. What it is granted works on the workspace of the call. */
export function agentScript(
  spec: ScriptToolSpec,
  input: z.ZodObject,
  source: string,
  command: RunCommandOptions | undefined,
): Tool {
  const { name, description, effect, returns, externals, limits } = spec
  const definition = { name, description, effect, input, source, externals, limits, ...defined({ returns }) }
  return {
    ...scriptTool(definition),
    parameters: spec.parameters,
    run: (args, context) =>
      scriptTool({ ...definition, providers: providersFor(context, command) }).run(args, context),
  }
}

function providersFor({ workspace }: ToolContext, command: RunCommandOptions | undefined): Providers {
  const read = (id: string) => readNodeFile({ workspace, node: { id } })
  return {
    nodeSource: async (id) => {
      const { bytes, node } = await read(id)
      return nodeSource(bytes, node.span)
    },
    nodeMetadata: async (id) => {
      const { node, parsed } = await read(id)
      const members = parsed.nodes.filter(({ parent }) => parent === node.key).map(({ key }) => key)
      return toJson({ ...node, members })
    },
    ...(command ? { command } : {}),
  }
}
