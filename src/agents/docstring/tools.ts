import { z } from 'zod'
import type { AgentCode, ContextProvider } from '../../agent/agent.ts'
import { isObject } from '../../event/json.ts'
import { writeInside } from '../../files/files.ts'
import { isTestFile } from '../../nodes/edges.ts'
import type { CodeNode } from '../../nodes/node.ts'
import { type NodeFile, nodeNamed, readNodeFile } from '../../nodes/node-file.ts'
import { partial, type Stated, success } from '../../tool/result.ts'
import { defineTool } from '../../tool/tool.ts'
import { excerptOf } from '../excerpt.ts'
import { ruffConfigFor } from '../ruff-config.ts'
import { givenParams } from '../signature.ts'
import { definitionOf } from './definition.ts'
import { derivedDocstring } from './derive.ts'
import { withDocstring } from './edit.ts'
import { type DocStyle, docStyles, styleOf } from './style.ts'

const NAMES_MAX = 30
/** A function of usual length; of a class its head and its first methods. */
const FOCUS_LINES_MAX = 60

const nodeName = z
  .string()
  .optional()
  .describe('a function, method or class of the file, such as Stock.put; leave it out for the node itself')

/** Public definitions without a docstring, in the order of the file; those of tests say enough by their names. */
function undocumentedIn({ path, parsed, node }: NodeFile): CodeNode[] {
  if (isTestFile(path)) return []
  const byKey = new Map(parsed.nodes.map((known) => [known.key, known]))
  const isPublic = (candidate: CodeNode): boolean => {
    const parent = candidate.parent === null ? undefined : byKey.get(candidate.parent)
    if (candidate.name.startsWith('_') || candidate.name.startsWith('#')) return false
    return parent === undefined || parent.type === 'file' || (parent.type === 'class' && isPublic(parent))
  }
  return parsed.nodes.filter(
    (candidate) =>
      candidate.type !== 'file' &&
      candidate.docstring === null &&
      isDocumentable(candidate) &&
      isPublic(candidate) &&
      (node.type === 'file' || candidate.key === node.key || candidate.parent === node.key),
  )
}

/** A lambda that is bound to a name has no place for a docstring. */
const isDocumentable = ({ language, signature }: CodeNode): boolean =>
  language !== 'python' || /^(?:async )?def |^class /.test(signature)

/** What is known of the file's docstrings once it has changed or been read. */
function stateOf(file: NodeFile): { undocumented_remaining: number; next_undocumented: string | null } {
  const undocumented = undocumentedIn(file)
  return {
    undocumented_remaining: undocumented.length,
    next_undocumented: undocumented[0]?.qualified_name ?? null,
  }
}

/** What is missing, and the code of the definition that is next. */
function openIn(file: NodeFile): Stated {
  const undocumented = undocumentedIn(file)
  const [next] = undocumented
  const shown = undocumented.slice(0, NAMES_MAX)
  const more = undocumented.length - shown.length
  const names = shown.map(({ qualified_name, span }) => `${qualified_name} line ${span.start_line}`)
  return {
    extensions: { docstrings: { missing: [...names, ...(more > 0 ? [`and ${more} more`] : [])] } },
    focus: next ? definitionText(file, next) : null,
  }
}

function definitionText({ path, text }: NodeFile, { span }: CodeNode): NonNullable<Stated['focus']> {
  const last = Math.min(span.end_line, span.start_line + FOCUS_LINES_MAX - 1)
  return excerptOf(path, text, span.start_line, last)
}

async function detectedStyle(workspace: string, file: NodeFile): Promise<DocStyle> {
  const { language } = file.node
  const { options } = language === 'python' ? await ruffConfigFor(workspace, file.path) : { options: {} }
  const lint = 'lint' in options && isObject(options['lint']) ? options['lint'] : {}
  const pydocstyle = isObject(lint['pydocstyle']) ? lint['pydocstyle']['convention'] : undefined
  return styleOf(language, file.text, typeof pydocstyle === 'string' ? pydocstyle : undefined)
}

const readCurrentDocstring = defineTool({
  name: 'read_current_docstring',
  description: 'Says which public definitions have no docstring, and shows the docstring of one that has.',
  effect: 'pure',
  input: z.strictObject({ name: nodeName }),
  async run({ name }, context) {
    const file = await readNodeFile(context)
    const node = nodeNamed(file, name)
    const missing = undocumentedIn(file).map(({ qualified_name }) => qualified_name)
    const result = { name: node.qualified_name, docstring: node.docstring, undocumented: missing }
    const knowledge = stateOf(file)
    const own =
      node.type === 'file'
        ? ''
        : node.docstring === null
          ? `${node.name} has no docstring. `
          : `${node.name}: "${node.docstring}" `
    const rest =
      missing.length === 0
        ? 'Everything public is documented.'
        : `${missing.length} without a docstring: ${missing.join(', ')}`
    const done = missing.length === 0 ? success : partial
    return done(result, `${own}${rest}`, knowledge, {
      ...openIn(file),
      output: node.type === 'file' ? null : node.docstring,
    })
  },
})

const readTypeHints = defineTool({
  name: 'read_type_hints',
  description: 'Reads parameters, types, defaults, return type and what the body raises or yields.',
  effect: 'pure',
  input: z.strictObject({ name: nodeName }),
  async run({ name }, context) {
    const file = await readNodeFile(context)
    const node = nodeNamed(file, name)
    const { yields, raises } = await definitionOf(file, node)
    const params = givenParams(node).map(({ name, type, default: value }) => ({ name, type, default: value }))
    const result = {
      signature: node.signature,
      params,
      returns: node.returns,
      yields,
      raises: raises.map(({ name }) => name),
    }
    return success(
      result,
      node.signature || `${file.path} is a file.`,
      { has_type_hints: node.has_type_hints },
      node.type === 'file' ? {} : { focus: definitionText(file, node) },
    )
  },
})

const writeDocstring = defineTool({
  name: 'write_docstring',
  description: 'Sets the docstring of one definition; without a text, one derived from signature and types.',
  effect: 'idempotent',
  input: z.strictObject({
    docstring: z
      .string()
      .min(1)
      .max(20_000)
      .optional()
      .describe('the words, without quotes or comment marks'),
    style: z.enum(docStyles).optional().describe('of a derived one; the style of the file when left out'),
    name: nodeName,
  }),
  async run({ docstring, style, name }, context) {
    const file = await readNodeFile(context)
    const node = nodeNamed(file, name)
    const used = style ?? (await detectedStyle(context.workspace, file))
    const words = docstring ?? derivedDocstring(node, await definitionOf(file, node), used)
    const text = await withDocstring(file, node, words)
    const action = node.docstring === null ? 'added' : 'updated'
    const about = node.qualified_name || file.path
    if (text === file.text)
      return partial(
        { action: 'skipped' },
        `${about} has this docstring already.`,
        stateOf(file),
        openIn(file),
      )
    await writeInside(context.workspace, file.path, text)
    const derived = docstring === undefined
    const verb = action === 'added' ? 'Added' : 'Updated'
    const summary = `${verb} the docstring of ${about}${derived ? ', derived from its signature and types' : ''}.`
    const now = await readNodeFile(context)
    return success(
      { action, derived, style: used, docstring: words },
      summary,
      { docstring_action: action, last_documented: about, ...stateOf(now) },
      { ...openIn(now), output: words },
    )
  },
})

/** The style to write in, and how much is missing before the agent begins. */
const docstringStyle: ContextProvider = async (context) => {
  const file = await readNodeFile(context)
  return {
    docstring_style: await detectedStyle(context.workspace, file),
    undocumented_at_start: undocumentedIn(file).length,
  }
}

export const docstringCode: AgentCode = {
  tools: Object.fromEntries(
    [readCurrentDocstring, readTypeHints, writeDocstring].map((tool) => [tool.name, tool]),
  ),
  context: { docstring_style: docstringStyle },
  summarizers: {},
}
