import type { AgentCode } from '../agent/agent.ts'
import { fileTools } from '../tool/files.ts'
import type { Tool } from '../tool/tool.ts'
import { docstringCode } from './docstring/tools.ts'
import { lintedFile, typedFile } from './lint/linted.ts'
import { toolRequests } from './lint/requests.ts'
import { lintCode } from './lint/tools.ts'
import { sampleDataCode } from './sample_data/tools.ts'
import { testCode } from './test/tools.ts'

const sharedTools: Readonly<Record<string, Tool>> = Object.fromEntries(
  fileTools.map((tool) => [tool.name, tool]),
)

const withShared = (code: AgentCode): AgentCode => ({ ...code, tools: { ...sharedTools, ...code.tools } })

/** The code behind the built-in agents' names; each folder here has its agent.yaml. */
export const builtInCode: Readonly<Record<string, AgentCode>> = {
  lint: withShared(lintCode),
  test: withShared(testCode),
  docstring: withShared(docstringCode({ lint: lintedFile, types: typedFile, trustRequests: toolRequests })),
  sample_data: withShared(sampleDataCode),
}

/** What a project's agent may name: the tools and context providers of all built-in agents. */
export const allCode: AgentCode = {
  tools: Object.assign({}, ...Object.values(builtInCode).map((code) => code.tools)),
  context: Object.assign({}, ...Object.values(builtInCode).map((code) => code.context)),
  summarizers: {},
}

export { runTestsOf } from './test/run-tests.ts'
