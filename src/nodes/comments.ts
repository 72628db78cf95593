import { languageOf, loadGrammar } from './grammar.ts'
import { parseTree } from './parse.ts'

/** The comments of a file, in order, each without the indentation of its lines; undefined when it does not parse. */
export async function commentsOf(path: string, text: string): Promise<string[] | undefined> {
  const language = languageOf(path)
  const tree = language && parseTree(await loadGrammar(language), text)
  if (!tree) return undefined
  try {
    if (tree.rootNode.hasError) return undefined
    return tree.rootNode
      .descendantsOfType('comment')
      .map((comment) => text.slice(comment.startIndex, comment.endIndex).replace(/\n[ \t]+/g, '\n'))
  } finally {
    tree.delete()
  }
}
