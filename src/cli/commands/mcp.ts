import { withStore } from '../../app/context.ts'
import { mcpServer } from '../../mcp/server.ts'
import type { CommandWords } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import type { Found } from '../output.ts'

/** Answers an MCP client on standard input and output until it goes. */
async function mcpCommand(options: CommonOptions): Promise<Found> {
  return withStore(options, async (store, project) => {
    // Loaded first: where it is missing, that is said, and by how.
    await mcpServer(store, project)
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
    const gone = new Promise<void>((resolve) => process.stdin.once('close', resolve).once('end', resolve))
    const server = serveStdio(() => mcpServer(store, project))
    await gone
    await server.close()
    return { bytes: new Uint8Array() }
  })
}

export default {
  examples: [
    'mcp',
    'mcp --folder other/.agentfs',
    'claude mcp add twotrack -- npx twotrack mcp',
    'codex mcp add twotrack -- npx twotrack mcp',
  ],
  call: mcpCommand,
} satisfies CommandWords
