/** `twotrack/tool`: tools of one's own, and those that are there. */

export { readInside, writeInside } from '../files/files.ts'
export { fileTools, listDirTool, readFileTool, searchContentTool, writeFileTool } from '../tool/files.ts'
export { type McpOptions, type McpTools, mcpTools } from '../tool/mcp.ts'
export type { McpServerSpec } from '../tool/mcp-server.ts'
export { recallTool } from '../tool/recall.ts'
export {
  assertToolResult,
  error,
  partial,
  type Stated,
  success,
  type ToolResult,
  toolResultSchema,
} from '../tool/result.ts'
export { type RunCommandOptions, runCommandTool } from '../tool/run-command.ts'
export type { ExternalName, Providers } from '../tool/sandbox/externals.ts'
export { type ScriptToolDefinition, scriptTool } from '../tool/sandbox/script-tool.ts'
export {
  defineTool,
  type Effect,
  type SharedRun,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  toolFromJsonSchema,
} from '../tool/tool.ts'
export { wrapResult } from '../tool/wrap.ts'
export { requireTrust, type TrustRequest, type Trusts } from '../trust/trust.ts'
