import { type CommandOptions, type CommandResult, runCommand } from '../tool/command/run.ts'

/** What is read of a command's output; the rest is dropped. */
const COLLECTED_BYTES_MAX = 64 * 1024 * 1024

/** Runs a linter or the like, whose whole output is to be read here. None of them needs a network. */
export async function collectCommand(
  argv: readonly string[],
  options: Omit<CommandOptions, 'keep' | 'seen'>,
): Promise<CommandResult> {
  const chunks: Uint8Array[] = []
  let length = 0
  const result = await runCommand(argv, {
    ...options,
    offline: options.offline || 'if_possible',
    seen(from, chunk) {
      if (from !== 'stdout' || length > COLLECTED_BYTES_MAX) return
      chunks.push(chunk)
      length += chunk.length
    },
  })
  return { ...result, stdout: Buffer.concat(chunks).toString() }
}
