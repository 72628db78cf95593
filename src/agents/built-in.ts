import type { AgentCode } from '../agent/agent.ts'
import { fileTools } from '../tool/files.ts'
import type { ToolContext } from '../tool/tool.ts'

const withShared = (code: AgentCode): AgentCode => ({
  ...code,
  tools: { ...Object.fromEntries(fileTools.map((tool) => [tool.name, tool])), ...code.tools },
})

/** The code behind the built-in agents' names, loaded when it is asked for; each folder here has its agent.yaml. */
export const builtInCode: Readonly<Record<string, () => Promise<AgentCode>>> = {
  lint: async () => withShared((await import('./lint/tools.ts')).lintCode),
  test: async () => withShared((await import('./test/tools.ts')).testCode),
  async docstring() {
    const { docstringCode } = await import('./docstring/tools.ts')
    const { lintedFile: look } = await import('./lint/linted.ts')
    const { withoutThese: newIn } = await import('./lint/linter.ts')
    const { toolRequests: trustRequests } = await import('./lint/requests.ts')
    return withShared(docstringCode({ look, newIn, trustRequests }))
  },
}

/** What a project's agent may name: the tools and context providers of all built-in agents. */
export async function allCode(): Promise<AgentCode> {
  const all = await Promise.all(Object.values(builtInCode).map((load) => load()))
  return {
    tools: Object.assign({}, ...all.map((code) => code.tools)),
    context: Object.assign({}, ...all.map((code) => code.context)),
    summarizers: {},
  }
}

export const runTestsOf = async (about: readonly string[], context: ToolContext) =>
  (await import('./test/run-tests.ts')).testsRunFor(about, context)
