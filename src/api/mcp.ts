/** `twotrack/mcp`: the tools of servers that speak the Model Context Protocol. */

export { type McpOptions, type McpTools, mcpTools } from '../tool/mcp.ts'
export type { McpServerSpec } from '../tool/mcp-server.ts'
