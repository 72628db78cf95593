import { expect, test } from 'vitest'
import { folderWith, twotrack } from '../cli/run.ts'
import * as reply from '../model/replies.ts'
import { modelServer, PYTHON, takesFirst } from './project.ts'

const OPENAI_API_KEY = 'sk-of-the-person-0123456789'
const yaml = (url: string) => `model: { adapter: openai, name: any, url: "${url}/v1" }\n`
const keysSent = (requests: readonly { headers: { authorization?: string | undefined } }[]) => [
  ...new Set(requests.map(({ headers }) => headers.authorization)),
]
const lint = (cwd: string, args: readonly string[] = [], env: Record<string, string> = {}) =>
  twotrack(cwd, ['run', 'lint', 'app.py', '--no-hub', '--trust', ...args], {
    env: { OPENAI_API_KEY, ...env },
  })

test('a key from the environment does not go to an address that a project chose, and the person is told', async () => {
  const server = await modelServer(() => takesFirst)
  const cwd = folderWith({ 'app.py': PYTHON, 'twotrack.yaml': yaml(server.url) })
  const { stderr } = await lint(cwd)
  expect(server.requests.length).toBeGreaterThan(0)
  expect(keysSent(server.requests)).toEqual([undefined])
  expect(stderr).toContain(`OPENAI_API_KEY is not sent to ${server.url}/v1`)
  expect(stderr).toContain('give it yourself: --url, or TWOTRACK_MODEL_URL')
  expect(stderr).not.toContain(OPENAI_API_KEY)
})

test('it goes where the person says: on the command line or in the environment, the project’s address or not', async () => {
  const server = await modelServer(() => takesFirst)
  const cwd = folderWith({ 'app.py': PYTHON, 'twotrack.yaml': yaml(server.url) })
  const url = `${server.url}/v1`
  for (const [args, env] of [
    [['--url', url], {}],
    [['--set', `model.url=${url}`], {}],
    [[], { TWOTRACK_MODEL_URL: url }],
  ] as const) {
    const { stderr } = await lint(cwd, args, env)
    expect(stderr).not.toContain('OPENAI_API_KEY')
  }
  expect(keysSent(server.requests)).toEqual([`Bearer ${OPENAI_API_KEY}`])
})

test('a larger model that a project chose gets no key either', async () => {
  const small = await modelServer(() => reply.says({ calls: [{ tool: 'run_linter', args: {} }] }))
  const large = await modelServer(() => reply.says({ text: 'Submit what you have.' }))
  const yaml = `escalation: { name: any, url: "${large.url}/v1" }\n`
  const cwd = folderWith({ 'app.py': PYTHON, 'twotrack.yaml': yaml })
  const { stderr } = await lint(cwd, ['--model', 'openai:any', '--url', `${small.url}/v1`])
  expect(keysSent(small.requests)).toEqual([`Bearer ${OPENAI_API_KEY}`])
  expect(large.requests.length).toBeGreaterThan(0)
  expect(keysSent(large.requests)).toEqual([undefined])
  expect(stderr).toContain('TWOTRACK_ESCALATION_URL')
})
