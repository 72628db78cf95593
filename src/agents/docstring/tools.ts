import { z } from 'zod'
import type { AgentCode, ContextProvider } from '../../agent/agent.ts'
import { TwotrackError } from '../../errors.ts'
import { readInside } from '../../files/files.ts'
import type { CodeNode } from '../../nodes/node.ts'
import { type NodeFile, nodeNamed, readNodeFile } from '../../nodes/node-file.ts'
import { languageNameOf } from '../../nodes/source-path.ts'
import { partial, type Stated, success } from '../../tool/result.ts'
import { defineTool, type ToolContext } from '../../tool/tool.ts'
import { codeAtStart } from '../code.ts'
import { excerptLines } from '../excerpt.ts'
import { perRun, projectOf } from '../per-run.ts'
import { disagreements } from './agree.ts'
import { type Looks, writeChecked } from './checked-write.ts'
import { definitionOf } from './definition.ts'
import { withDocstring } from './edit.ts'
import { inLines, materialOf } from './material.ts'
import { undocumentedIn, whyLeftAlone } from './public.ts'
import { conventionFor, type DocStyle, lineLengthFor, projectStyle } from './style.ts'

const NAMES_MAX = 30
/** A function of usual length; of a class its head and its first methods. */
const FOCUS_LINES_MAX = 60
/** Files that show a project's style. */
const STYLE_FILES_MAX = 500

const nodeName = z
  .string()
  .optional()
  .describe('a function, method or class of the file, such as Stock.put; leave it out for the node itself')

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
  const rest = more > 0 ? [`and ${more} more`] : []
  const names = shown.map(({ qualified_name, span }) => `${qualified_name} line ${span.start_line}`)
  const problems = shown.map(
    ({ qualified_name, span }) => `${file.path}:${span.start_line} ${qualified_name} has no docstring`,
  )
  return {
    extensions: { docstrings: { missing: [...names, ...rest] } },
    diagnostics: [null, ...problems, ...rest],
    focus: next ? definitionText(file, next) : null,
  }
}

function definitionText({ path, text }: NodeFile, { span }: CodeNode): NonNullable<Stated['focus']> {
  const last = Math.min(span.end_line, span.start_line + FOCUS_LINES_MAX - 1)
  return excerptLines(path, text, span.start_line, last)
}

/** One style for all of a project, whichever file is worked on. */
async function styleFor(context: ToolContext, { path, node: { language } }: NodeFile): Promise<DocStyle> {
  const convention = language === 'python' ? await conventionFor(projectOf(context), path) : undefined
  const styles = await stylesOf(context)
  const known = styles.get(`${language} ${convention}`)
  if (known) return known
  const style = projectStyle(language, await sourcesIn(context, language), convention)
  styles.set(`${language} ${convention}`, style)
  return style
}

const stylesOf = perRun(async () => new Map<string, DocStyle>())

async function sourcesIn(context: ToolContext, language: CodeNode['language']): Promise<string[]> {
  const files = (await codeAtStart(context)).files()
  const read = files
    .filter((path) => languageNameOf(path) === language)
    .slice(0, STYLE_FILES_MAX)
    .map((path) => readInside(projectOf(context), path).catch(() => ''))
  return (await Promise.all(read)).map(String)
}

const readCurrentDocstring = defineTool({
  name: 'read_current_docstring',
  description:
    'Says which public definitions have no docstring, with what one can be written from, and shows the docstring of one that has.',
  effect: 'pure',
  filesOnly: true,
  input: z.strictObject({ name: nodeName }),
  async run({ name }, context) {
    const file = await readNodeFile(context)
    const node = nodeNamed(file, name)
    const undocumented = undocumentedIn(file)
    const material = await materialOf(context, file, undocumented.slice(0, NAMES_MAX))
    const result = { name: node.qualified_name, docstring: node.docstring, undocumented: material }
    const own =
      node.type === 'file'
        ? ''
        : node.docstring === null
          ? `${node.name} has no docstring. `
          : `${node.name}: "${node.docstring}" `
    const names = undocumented.map(({ qualified_name }) => qualified_name).join(', ')
    const isDone = undocumented.length === 0
    const rest = isDone
      ? 'Everything public is documented.'
      : `${undocumented.length} without a docstring: ${names}`
    const done = isDone ? success : partial
    return done(result, `${own}${rest}`, stateOf(file), {
      ...openIn(file),
      output: node.type === 'file' ? material.map(inLines).join('\n') || null : node.docstring,
    })
  },
})

const readTypeHints = defineTool({
  name: 'read_type_hints',
  description:
    'Reads parameters, types, defaults, return type, what the body raises or yields, and who calls it.',
  effect: 'pure',
  filesOnly: true,
  input: z.strictObject({ name: nodeName }),
  async run({ name }, context) {
    const file = await readNodeFile(context)
    const node = nodeNamed(file, name)
    const [material] = await materialOf(context, file, [node])
    return success(
      material ?? null,
      node.signature || `${file.path} is a file.`,
      { has_type_hints: node.returns !== null || node.params.some(({ type }) => type !== null) },
      node.type === 'file' ? {} : { focus: definitionText(file, node) },
    )
  },
})

const writeDocstring = (looks: Looks) =>
  defineTool({
    name: 'write_docstring',
    description:
      'Sets the docstring of one definition. Refused, with the reason, where it does not agree with the code or the project.',
    effect: 'idempotent',
    filesOnly: true,
    trustRequests: looks.trustRequests,
    input: z.strictObject({
      docstring: z.string().min(1).max(20_000).describe('the words, without quotes or comment marks'),
      name: nodeName,
    }),
    async run({ docstring, name }, context) {
      const file = await readNodeFile(context)
      const node = nodeNamed(file, name)
      const about = node.qualified_name || file.path
      const alone = whyLeftAlone(file, node)
      if (alone !== undefined) throw refused(about, [alone])
      const text = await checkedText(context, file, node, docstring)
      const action = node.docstring === null ? 'added' : 'updated'
      if (text === file.text)
        return partial(
          { action: 'skipped' },
          `${about} has this docstring already.`,
          stateOf(file),
          openIn(file),
        )
      const written = await writeChecked(looks, context, file, text)
      if ('fresh' in written) throw refused(about, written.fresh)
      const now = await readNodeFile(context)
      return success(
        { action, docstring, ...written },
        `${action === 'added' ? 'Added' : 'Updated'} the docstring of ${about}.`,
        { docstring_action: action, last_documented: about, ...stateOf(now) },
        { ...openIn(now), output: docstring },
      )
    },
  })

/** The file with the docstring, if nothing speaks against it. */
async function checkedText(
  context: ToolContext,
  file: NodeFile,
  node: CodeNode,
  docstring: string,
): Promise<string> {
  const about = node.qualified_name || file.path
  const { text, words } = await withDocstring(file, node, docstring)
  const style = await styleFor(context, file)
  const problems = disagreements(words, subjectOf(file, node), await definitionOf(file, node), style)
  const limit = await lineLengthFor(projectOf(context), file.path, node.language)
  const known = new Set(file.text.split('\n'))
  const long = text.split('\n').filter((line) => line.trimEnd().length > limit && !known.has(line))
  const lengths = long.map(
    (line) =>
      `A line has ${line.trimEnd().length} characters with its indentation, and this project's limit is ${limit}: ${line.trim().slice(0, 60)}…`,
  )
  if (problems.length + lengths.length > 0) throw refused(about, [...problems, ...lengths])
  return text
}

/** A class is documented with the parameters of what makes one. */
function subjectOf({ parsed }: NodeFile, node: CodeNode): CodeNode {
  if (node.type !== 'class') return node
  const maker = parsed.nodes.find(
    ({ parent, name }) => parent === node.key && (name === '__init__' || name === 'constructor'),
  )
  return maker ? { ...maker, name: node.name } : node
}

const refused = (about: string, reasons: readonly string[]): TwotrackError =>
  new TwotrackError(
    'bad_argument',
    `The docstring of ${about} was not written. ${reasons.join(' ')} Write it again without that.`,
  )

/** The style to write in, and how much is missing before the agent begins. */
const docstringStyle: ContextProvider = async (context) => {
  const file = await readNodeFile(context)
  return {
    docstring_style: await styleFor(context, file),
    docstring_line_length: await lineLengthFor(projectOf(context), file.path, file.node.language),
    undocumented_at_start: undocumentedIn(file).length,
  }
}

export const docstringCode = (looks: Looks): AgentCode => ({
  tools: Object.fromEntries(
    [readCurrentDocstring, readTypeHints, writeDocstring(looks)].map((tool) => [tool.name, tool]),
  ),
  context: { docstring_style: Object.assign(docstringStyle, { filesOnly: true }) },
  summarizers: {},
})
