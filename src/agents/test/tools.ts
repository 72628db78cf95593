import { z } from 'zod'
import type { AgentCode, ContextProvider } from '../../agent/agent.ts'
import { TwotrackError } from '../../errors.ts'
import { readInside } from '../../files/files.ts'
import { isTestFile } from '../../nodes/edges.ts'
import { parseNodes } from '../../nodes/parse.ts'
import { nodePath } from '../../nodes/source-path.ts'
import { success } from '../../tool/result.ts'
import { defineTool, filesOf } from '../../tool/tool.ts'
import { codeAtStart, codeNow } from '../code.ts'
import { analyzeSignature } from '../signature.ts'
import { testsFor } from './related.ts'
import { runTests } from './run-tests.ts'

const TESTS_CHARS_MAX = 20_000

const readExistingTests = defineTool({
  name: 'read_existing_tests',
  description: 'Reads the test files that belong to the file worked on.',
  effect: 'pure',
  input: z.strictObject({}),
  async run(_, context) {
    const { workspace, node } = context
    const path = nodePath(node.id)
    const related = testsFor(await codeNow(context), path)
    const files = related.map((test) => test.path)
    const texts = await Promise.all(
      files.map(async (file) => `# ${file}\n${(await readInside(workspace, file)).toString()}`),
    )
    const found =
      files.length === 0
        ? `No tests belong to ${path} yet.`
        : `Tests of ${path}: ${related.map((test) => `${test.path} (${test.reason})`).join(', ')}.`
    return success(texts.join('\n').slice(0, TESTS_CHARS_MAX), found.slice(0, 300), {
      tests_files: files.slice(0, 10),
    })
  },
})

const writeTestFile = defineTool({
  name: 'write_test_file',
  description: 'Writes a whole test file; it must parse and be named like a test.',
  effect: 'idempotent',
  filesOnly: true,
  input: z.strictObject({
    content: z.string().min(1),
    path: z.string().describe('such as tests/test_stock.py or web/cart.test.ts'),
  }),
  async run({ content, path }, context) {
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
    await filesOf(context).write(path, content)
    const lines = content.split('\n').length
    return success({ path, lines }, `Wrote ${path} with ${lines} lines.`, {
      test_file_written: path,
      changed_files: [path],
    })
  },
})

const testSetup: ContextProvider = async (context) => {
  const related = testsFor(await codeAtStart(context), nodePath(context.node.id)).slice(0, 10)
  return {
    tests_files: related.map(({ path }) => path),
    tests_why: related.slice(0, 5).map(({ path, reason }) => `${path} ${reason}`),
  }
}

export const testCode: AgentCode = {
  tools: Object.fromEntries(
    [runTests, analyzeSignature, readExistingTests, writeTestFile].map((tool) => [tool.name, tool]),
  ),
  context: { test_setup: Object.assign(testSetup, { filesOnly: true }) },
  summarizers: {},
}
