/** `twotrack/tool`: tools of one's own, and those that are there. */

export { readInside } from '../files/files.ts'
export { fileTools } from '../tool/files.ts'
export { assertToolResult, error, partial, type Stated, success, type ToolResult } from '../tool/result.ts'
export { type RunCommandOptions, runCommandTool } from '../tool/run-command.ts'
export type { ExternalName, Providers } from '../tool/sandbox/externals.ts'
export { type ScriptToolDefinition, scriptTool } from '../tool/sandbox/script-tool.ts'
export {
  defineTool,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  toolFromJsonSchema,
} from '../tool/tool.ts'
export { requireTrust, type TrustRequest, type Trusts } from '../trust/trust.ts'
