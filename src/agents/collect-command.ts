import { type CommandOptions, type CommandResult, runCommand } from '../tool/command/run.ts'

/** What is read of a command's output; of more, both ends. */
const COLLECTED_BYTES_MAX = 8 * 1024 * 1024

/** Runs a command whose whole output is to be read here. */
export async function collectCommand(
  argv: readonly string[],
  options: Omit<CommandOptions, 'keep'>,
): Promise<CommandResult> {
  let text: string | undefined
  const result = await runCommand(argv, {
    ...options,
    async keep(bytes) {
      const chunks: Uint8Array[] = []
      let length = 0
      for await (const chunk of bytes) {
        length += chunk.length
        if (length <= COLLECTED_BYTES_MAX) chunks.push(chunk)
      }
      if (length <= COLLECTED_BYTES_MAX) text = Buffer.concat(chunks).toString()
      return { sha256: '', bytes: length, media: 'text' }
    },
  })
  const { raw: _, ...rest } = result
  return text === undefined ? rest : { ...rest, text }
}
