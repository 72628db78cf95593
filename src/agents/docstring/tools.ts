import { z } from 'zod'
import type { AgentCode, ContextProvider } from '../../agent/agent.ts'
import { messageOf, TwotrackError } from '../../errors.ts'
import { type NodeFile, nodeNamed, readNodeFile } from '../../nodes/node-file.ts'
import { partial, type Stated, success } from '../../tool/result.ts'
import { defineTool, filesOf, type Tool, type ToolContext } from '../../tool/tool.ts'
import { changedLines } from '../changed-lines.ts'
import { excerptLines } from '../excerpt.ts'
import { analyzeSignature } from '../signature.ts'
import { withDocstring } from './edit.ts'
import { inventedParams } from './invented.ts'
import { leftAloneIn, undocumentedIn } from './public.ts'

interface Issue {
  readonly code: string
  readonly message: string
  readonly line: number
}

export interface Lint {
  /** What it says of the agent's file as it is now. */
  readonly look: (context: ToolContext) => Promise<{ readonly found: readonly Issue[]; readonly by: string }>
  readonly newIn: <Found extends Issue>(found: readonly Found[], known: readonly Issue[]) => Found[]
  /** What of the project it runs. */
  readonly trustRequests: NonNullable<Tool['trustRequests']>
}

const NAMES_MAX = 30
/** A function of usual length; of a class its head and its first methods. */
const FOCUS_LINES_MAX = 60

const nodeName = z
  .string()
  .optional()
  .describe('a function, method or class of the file, such as Stock.put; leave it out for the node itself')

/** What is missing, as knowledge, and the code of the definition that is next. */
function openIn(file: NodeFile) {
  const undocumented = undocumentedIn(file)
  const [next] = undocumented
  const more = undocumented.length - NAMES_MAX
  const problems = undocumented
    .slice(0, NAMES_MAX)
    .map(({ qualified_name, span }) => `${file.path}:${span.start_line} ${qualified_name} has no docstring`)
  const stated: Stated = {
    diagnostics: [null, ...problems, ...(more > 0 ? [`and ${more} more`] : [])],
    focus: next
      ? excerptLines(
          file.path,
          file.text,
          next.span.start_line,
          Math.min(next.span.end_line, next.span.start_line + FOCUS_LINES_MAX - 1),
        )
      : null,
  }
  const knowledge = {
    undocumented_remaining: undocumented.length,
    next_undocumented: next?.qualified_name ?? null,
  }
  return { undocumented, knowledge, stated }
}

const readCurrentDocstring = defineTool({
  name: 'read_current_docstring',
  description: 'Says which public definitions have no docstring, and shows the docstring of one that has.',
  effect: 'pure',
  filesOnly: true,
  input: z.strictObject({ name: nodeName }),
  async run({ name }, context) {
    const file = await readNodeFile(context)
    const node = nodeNamed(file, name)
    const { undocumented, knowledge, stated } = openIn(file)
    const missing = undocumented.map(({ qualified_name, span, signature }) => ({
      ...{ name: qualified_name, line: span.start_line, signature },
    }))
    const has =
      node.docstring === null ? `${node.name} has no docstring. ` : `${node.name}: "${node.docstring}" `
    const about = node.type === 'file' ? '' : has
    const names = undocumented.map(({ qualified_name }) => qualified_name).join(', ')
    const result = { name: node.qualified_name, docstring: node.docstring, undocumented: missing }
    const output =
      node.type === 'file'
        ? missing.map(({ line, signature }) => `line ${line}: ${signature}`).join('\n') || null
        : node.docstring
    return undocumented.length === 0
      ? success(result, `${about}Everything public is documented.`, knowledge, { ...stated, output })
      : partial(result, `${about}${undocumented.length} without a docstring: ${names}`, knowledge, {
          ...stated,
          output,
        })
  },
})

const writeDocstring = (lint: Lint) =>
  defineTool({
    name: 'write_docstring',
    description:
      'Sets the docstring of one definition. Refused, with the reason, where it does not agree with the code or the linter.',
    effect: 'idempotent',
    filesOnly: true,
    trustRequests: lint.trustRequests,
    input: z.strictObject({
      docstring: z.string().min(1).max(20_000).describe('the words, without quotes or comment marks'),
      name: nodeName,
    }),
    async run({ docstring, name }, context) {
      const file = await readNodeFile(context)
      const node = nodeNamed(file, name)
      const about = node.qualified_name || file.path
      const alone = leftAloneIn(file)(node)
      if (alone !== undefined) throw refusal(about, [alone])
      const { text, words } = await withDocstring(file, node, docstring)
      const invented = inventedParams(words, node, file)
      if (invented.length > 0) throw refusal(about, invented)
      const action = node.docstring === null ? 'added' : 'updated'
      if (text === file.text) {
        const { knowledge, stated } = openIn(file)
        return partial({ action: 'skipped' }, `${about} has this docstring already.`, knowledge, stated)
      }
      const linted = await writeLinted(lint, context, file, about, text)
      const { knowledge, stated } = openIn(await readNodeFile(context))
      return success(
        { action, docstring, linted },
        `${action === 'added' ? 'Added' : 'Updated'} the docstring of ${about}.`,
        { docstring_action: action, last_documented: about, ...knowledge },
        { ...stated, files: changedLines(file.path, file.text, text), output: docstring },
      )
    },
  })

/** Writes the file, and takes it back where the linter then reports something new. Gives what looked at it, or why nothing did. */
async function writeLinted(
  { look, newIn }: Lint,
  context: ToolContext,
  { path, bytes }: NodeFile,
  about: string,
  text: string,
): Promise<string> {
  const seen = () => look(context).catch((thrown: unknown) => messageOf(thrown))
  const before = await seen()
  await filesOf(context).write(path, text)
  if (typeof before === 'string') return `not linted: ${before}`
  const after = await seen()
  const fresh =
    typeof after === 'string'
      ? [`With it, ${before.by} can't look at the file any more: ${after}`]
      : newIn(after.found, before.found).map(
          ({ code, message, line }) =>
            `${before.by} reports something new with it: ${code} ${message} (line ${line}).`,
        )
  if (fresh.length === 0) return before.by
  await filesOf(context).write(path, bytes)
  throw refusal(about, fresh)
}

const refusal = (about: string, reasons: readonly string[]): TwotrackError =>
  new TwotrackError(
    'bad_argument',
    `The docstring of ${about} was not written. ${reasons.join(' ')} Write it again without that.`,
  )

const docstringsMissing: ContextProvider = async (context) => ({
  undocumented_at_start: undocumentedIn(await readNodeFile(context)).length,
})

export const docstringCode = (lint: Lint): AgentCode => ({
  tools: Object.fromEntries(
    [readCurrentDocstring, analyzeSignature, writeDocstring(lint)].map((tool) => [tool.name, tool]),
  ),
  context: { docstrings_missing: Object.assign(docstringsMissing, { filesOnly: true }) },
  summarizers: {},
})
