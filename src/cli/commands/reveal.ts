import { projectFor } from '../../app/context.ts'
import { reveal } from '../../app/vault.ts'
import type { CommandWords } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import { type Found, paint, safe } from '../output.ts'

/** Gives back what placeholders stand for, from the vault of this person. */
async function revealCommand(text: string | undefined, options: CommonOptions): Promise<Found> {
  const { folder } = await projectFor(options)
  const found = reveal(folder, text)
  const line = ({ placeholder, until, original }: (typeof found)[number]) =>
    `${safe(placeholder)}  ${safe(original)}  ${paint('dim', `until ${until.slice(0, 16)}`)}`
  return {
    json: found,
    lines: () => (found.length === 0 ? ['The vault is empty.'] : found.map(line)),
  }
}

export default {
  takes: '[placeholder]',
  examples: ["reveal '[secret:password:3f9a2b71c0d4]'", 'reveal 3f9a2b71c0d4', 'reveal   # all that is kept'],
  call: revealCommand,
} satisfies CommandWords
