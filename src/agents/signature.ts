import { z } from 'zod'
import type { Json } from '../core/event/json.ts'
import type { CodeNode } from '../nodes/node.ts'
import { type NodeFile, nodeNamed, readNodeFile } from '../nodes/node-file.ts'
import { success } from '../tool/result.ts'
import { defineTool } from '../tool/tool.ts'

const SIGNATURES_MAX = 50

/** The functions of a node that others can call: itself, or those in it. */
function functionsOf({ parsed }: NodeFile, node: CodeNode): CodeNode[] {
  if (node.type === 'function' || node.type === 'method') return [node]
  const inside = (candidate: CodeNode) => node.type === 'file' || candidate.parent === node.key
  const byKey = new Map(parsed.nodes.map((known) => [known.key, known]))
  return parsed.nodes.filter((candidate) => {
    if (candidate.type !== 'function' && candidate.type !== 'method') return false
    const parent = candidate.parent === null ? undefined : byKey.get(candidate.parent)
    return inside(candidate) && parent?.type !== 'function' && parent?.type !== 'method'
  })
}

/** Parameters that a caller gives: not the object that a method belongs to. */
export const givenParams = ({ type, language, params, decorators }: CodeNode): CodeNode['params'] =>
  type === 'method' && language === 'python' && !decorators.some((name) => name.includes('staticmethod'))
    ? params.slice(1)
    : params

export const analyzeSignature = defineTool({
  name: 'analyze_signature',
  description:
    'Reads names, parameters with types and defaults, and return types of the functions worked on.',
  effect: 'pure',
  filesOnly: true,
  input: z.strictObject({
    name: z.string().optional().describe('one function of the file, such as Stock.put; leave it out for all'),
  }),
  async run({ name }, context) {
    const file = await readNodeFile(context)
    const functions = functionsOf(file, nodeNamed(file, name)).slice(0, SIGNATURES_MAX)
    const result = functions.map((node) => ({
      name: node.qualified_name,
      signature: node.signature,
      params: givenParams(node).map(
        ({ name, type, default: value }): Json => ({ name, type, default: value }),
      ),
      returns: node.returns,
      line: node.span.start_line,
    }))
    const names = result.map((one) => one.name)
    const shown = result.slice(0, 6).map((one) => one.signature)
    return success(result, `${names.length} functions in ${file.path}: ${shown.join('; ')}`.slice(0, 300), {
      functions: names.slice(0, 20),
      functions_count: names.length,
    })
  },
})
