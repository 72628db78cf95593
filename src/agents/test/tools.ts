import { z } from 'zod'
import type { AgentCode, ContextProvider } from '../../agent/agent.ts'
import { TwotrackError } from '../../errors.ts'
import { readInside, writeInside } from '../../files/files.ts'
import { isTestFile } from '../../nodes/edges.ts'
import { nodePath } from '../../nodes/node-path.ts'
import { parseNodes } from '../../nodes/parse.ts'
import { success } from '../../tool/result.ts'
import { defineTool } from '../../tool/tool.ts'
import { analyzeSignature } from '../signature.ts'
import { testsFor } from './related.ts'
import { runTests } from './run-tests.ts'
import { runnerFor } from './runner.ts'

const TESTS_CHARS_MAX = 20_000

const readExistingTests = defineTool({
  name: 'read_existing_tests',
  description: 'Reads the test files that belong to the file worked on.',
  effect: 'pure',
  input: z.strictObject({}),
  async run(_, { workspace, node }) {
    const path = nodePath(node.id)
    const files = await testsFor(workspace, path)
    const texts = await Promise.all(
      files.map(async (file) => `# ${file}\n${(await readInside(workspace, file)).toString()}`),
    )
    const found =
      files.length === 0 ? `No tests belong to ${path} yet.` : `Tests of ${path}: ${files.join(', ')}.`
    return success(texts.join('\n').slice(0, TESTS_CHARS_MAX), found.slice(0, 300), {
      tests_files: files.slice(0, 10),
    })
  },
})

const writeTestFile = defineTool({
  name: 'write_test_file',
  description: 'Writes a whole test file; it must parse and be named like a test.',
  effect: 'idempotent',
  input: z.strictObject({
    content: z.string().min(1),
    path: z.string().describe('such as tests/test_stock.py or web/cart.test.ts'),
  }),
  async run({ content, path }, { workspace }) {
    if (!isTestFile(path))
      throw new TwotrackError(
        'bad_argument',
        `"${path}" is not named like a test; name it test_….py or ….test.ts.`,
      )
    const { parsed, errors } = await parseNodes(path, content)
    if (!parsed) {
      const where = errors[0]?.line === null ? '' : ` at line ${errors[0]?.line}`
      throw new TwotrackError(
        'bad_argument',
        `The content of ${path} does not parse${where}: ${errors[0]?.message}.`,
      )
    }
    await writeInside(workspace, path, content)
    const lines = content.split('\n').length
    return success({ path, lines }, `Wrote ${path} with ${lines} lines.`, {
      test_file_written: path,
      changed_files: [path],
    })
  },
})

/** Which tests belong to the file and what runs them, where that can be told. */
const testSetup: ContextProvider = async ({ workspace, node, signal }) => {
  const files = await testsFor(workspace, nodePath(node.id))
  const [first] = files
  if (first === undefined) return { tests_files: [] }
  // Why there is none is said when the tests are to be run.
  const runner = await runnerFor(
    { workspace, signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]) },
    first,
  ).catch(() => undefined)
  return { tests_files: files.slice(0, 10), ...(runner ? { test_runner: runner.name } : {}) }
}

export const testCode: AgentCode = {
  tools: Object.fromEntries(
    [runTests, analyzeSignature, readExistingTests, writeTestFile].map((tool) => [tool.name, tool]),
  ),
  context: { test_setup: testSetup },
  summarizers: {},
}
