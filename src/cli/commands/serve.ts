import { memorySettings, withStore } from '../../app/context.ts'
import { TwotrackError } from '../../errors.ts'
import { serve } from '../../serve/rpc.ts'
import { ServedSession } from '../../serve/session.ts'
import type { CommandWords } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import type { Found } from '../output.ts'

/** Memory for an agent in any language: JSON-RPC on standard input and output, until the client goes. */
async function serveCommand(options: CommonOptions & { readonly stdio?: boolean }): Promise<Found> {
  if (!options.stdio)
    throw new TwotrackError(
      'bad_argument',
      'Say --stdio: standard input and output is the only way to be asked.',
    )
  return withStore(options, async (store, { config, folder }) => {
    const session = new ServedSession(store, memorySettings(config, folder))
    await serve(session, process.stdin, (line) => process.stdout.write(line))
    return { bytes: new Uint8Array() }
  })
}

export default {
  examples: ['serve --stdio', 'serve --stdio --folder other/.agentfs'],
  options: [['--stdio', 'JSON-RPC on standard input and output, a message a line']],
  call: serveCommand,
} satisfies CommandWords
