import { z } from 'zod'

/** An MCP server as it is configured: a program, or an address (mcp.ts starts it). */
export const mcpServerSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, 'lower-case letters, digits, _ and -'),
  /** A program that speaks MCP on its standard input and output. */
  command: z.string().min(1).exactOptional(),
  args: z.array(z.string()).exactOptional(),
  env: z.record(z.string(), z.string()).exactOptional(),
  /** Or the address of a server. */
  url: z.url({ protocol: /^https?$/ }).exactOptional(),
  /** The tools that the agent gets; all of them, unless given. */
  tools: z.array(z.string()).min(1).exactOptional(),
  /** Whether to believe what the server says of its tools: which only read, which may run twice. */
  trusted: z.boolean().exactOptional(),
  /** What the declarations of its tools may take of every prompt. */
  declaration_tokens: z.int().positive().exactOptional(),
})
export type McpServerSpec = z.infer<typeof mcpServerSchema>

/** A model's tools have letters, digits, _ and - alone. */
export const toolName = (name: string): string =>
  name
    .replace(/[^\w-]/g, '_')
    .replace(/^(?![A-Za-z_])/, '_')
    .slice(0, 64)
