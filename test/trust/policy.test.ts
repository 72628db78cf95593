import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, symlink } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/event/json.ts'
import { scripted } from '../../src/model/scripted.ts'
import { contained } from '../../src/tool/command/contain.ts'
import { runCommandTool } from '../../src/tool/run-command.ts'
import { judge, type Policy, policySchema } from '../../src/trust/policy.ts'
import { countingTools, run, submits } from '../run/agent-run.ts'
import { put, scratch } from '../workspace/scratch.ts'

const execFileAsync = promisify(execFile)

const judged = async (policy: Policy, args: JsonObject, tool = 'fetch') =>
  (await judge(policy, { tool, args, effect: 'effect' })).kind

describe('a policy', () => {
  test('allows what it does not speak of', async () => {
    expect(await judged({}, { url: 'http://a.example' })).toBe('allowed')
    expect(await judged({ args: { other: { url: 'x' } } }, { url: 'y' })).toBe('allowed')
  })

  test('has patterns for whole values, of a list each item', async () => {
    const policy: Policy = { args: { fetch: { id: '[a-z]+' } } }
    expect(await judged(policy, { id: 'abc' })).toBe('allowed')
    expect(await judged(policy, { id: ['abc', 'd'] })).toBe('allowed')
    for (const id of ['abc1', '1', 'abc\n', 'a b', '', 'a'.repeat(20_000)])
      expect(await judged(policy, { id })).toBe('refused')
    expect(await judged(policy, { id: ['abc', 'D'] })).toBe('refused')
    expect(await judged(policy, {})).toBe('allowed')
  })

  test('takes time that grows with the value, whatever its pattern, and refuses patterns that could not', async () => {
    const policy: Policy = { args: { fetch: { id: '(a+)+' } } }
    expect(await judged(policy, { id: `${'a'.repeat(9_999)}!` })).toBe('refused')
    expect(await judged(policy, { id: 'a'.repeat(9_999) })).toBe('allowed')
    for (const text of ['(?=a)a', '(.)\\1', '('])
      expect(policySchema.safeParse({ args: { fetch: { id: text } } }).success, text).toBe(false)
  })

  test.each([
    ['https://api.example.com/x?y', 'allowed'],
    ['see https://api.example.com and https://API.EXAMPLE.com:443/', 'allowed'],
    ['https://sub.docs.example/', 'allowed'],
    ['no address at all', 'allowed'],
    ['https://docs.example/', 'refused'],
    ['https://api.example.com.evil.example/', 'refused'],
    ['https://api.example.com@evil.example/', 'refused'],
    ['https://evil.example\\@api.example.com/', 'refused'],
    ['https://evil.example#@api.example.com/', 'refused'],
    ['https:\\\\evil.example/', 'refused'],
    ['text before ftp://evil.example', 'refused'],
    ['file:///etc/passwd', 'refused'],
    ['http:/evil.example', 'refused'],
    ['http:evil.example', 'refused'],
    ['http:\\evil.example', 'refused'],
    ['see http:/evil.example', 'refused'],
    ['https:/\t/evil.example', 'refused'],
    ['https:\n//evil.example', 'refused'],
    ['\u0001 https:/\r/evil.example', 'refused'],
    ['https://api.example.com\t.evil.example/', 'refused'],
    ['https://api.example.com\nis nice', 'allowed'],
    ['the ports: { http:8080 }', 'allowed'],
    ['http://2130706433/', 'refused'],
    ['http://[::1]/', 'refused'],
    ['//evil.example/x', 'refused'],
    ['\\\\evil.example\\share', 'refused'],
    ['//api.example.com/x', 'allowed'],
    ['// evil.example is a comment', 'allowed'],
    ['git@evil.example:team/repository.git', 'refused'],
    ['git@api.example.com:team/repository.git', 'allowed'],
    ['me@home: see you', 'allowed'],
    ['https://аpi.example.com/', 'refused'], // a Cyrillic first letter
    // A browser reads the first host, Python the second.
    ['https://api.example.com\\@evil.example/', 'refused'],
    ['see https://api.example.com\\.evil.example/ there', 'refused'],
    ['https://api.example.com/a\\b', 'allowed'],
  ])('keeps %s to its hosts: %s', async (text, kind) => {
    const policy: Policy = { network: ['api.example.com', '*.docs.example'] }
    expect(await judged(policy, { body: text })).toBe(kind)
  })

  test('reads an argument of any length in linear time', async () => {
    const before = process.cpuUsage()
    for (const text of ['a', '0af3', 'a.', 'https:/', '\\', ' ', 'a:'])
      for (const around of [
        ['', ''],
        ['http:', '@evil.example'],
      ])
        await judged({ network: [] }, { body: around.join(text.repeat(1_000_000 / text.length)) })
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000)
    expect(await judged({ network: [] }, { body: `${'a'.repeat(100)}://evil.example/` })).toBe('refused')
  }, 60_000)

  test('knows a host without a scheme where the argument’s name says that it is one', async () => {
    expect(await judged({ network: [] }, { host: 'evil.example' })).toBe('refused')
    expect(await judged({ network: [] }, { target_url: '//evil.example/x' })).toBe('refused')
    for (const name of ['server', 'href', 'proxy', 'http_proxy', 'webhook'])
      expect(await judged({ network: [] }, { [name]: 'evil.example' }), name).toBe('refused')
    expect(await judged({ network: ['evil.example'] }, { host: 'evil.example:8080' })).toBe('allowed')
    expect(await judged({ network: [] }, { note: 'evil.example' })).toBe('allowed')
  })

  test('knows an address or a path that is a key', async () => {
    const fetching = { fetched: { 'https://evil.example/x': 'out.txt' } }
    expect(await judged({ network: ['api.example.com'] }, fetching)).toBe('refused')
    const paths = ['src/']
    expect(await judged({ paths }, { files: { 'src/a.py': 'text' } })).toBe('allowed')
    expect(await judged({ paths }, { files: { '../a.py': 'text' } })).toBe('refused')
    expect(await judged({ paths }, { files: { 'src/a.py': 'text', 'secret.txt': '' } })).toBe('refused')
    expect(await judged({ paths }, { files: [{ path: 'src/a.py', content: 'a/b' }] })).toBe('allowed')
  })

  test('keeps paths to where it says, however they are written and wherever links lead', async () => {
    const workspace = await scratch()
    await put(workspace, { 'src/a.py': '', 'secret/b.txt': '', 'tests/a_test.py': '' })
    await symlink('../secret', join(workspace, 'src/link'))
    await mkdir(join(workspace, 'src/deep'))
    const policy: Policy = { paths: ['src/', 'tests/**/*_test.py'] }
    const kinds = async (args: Record<string, string>) =>
      (await judge(policy, { tool: 'read_file', args, effect: 'pure' }, workspace)).kind
    for (const path of ['src/a.py', './src/deep/new.py', 'src/../src/a.py', 'tests/a_test.py'])
      expect(await kinds({ path }), path).toBe('allowed')
    for (const path of [
      'secret/b.txt',
      'src/../secret/b.txt',
      'src/link/b.txt',
      '/etc/passwd',
      '..',
      '.',
      'tests/b.py',
      'SRC/a.py',
    ])
      expect(await kinds({ path }), path).toBe('refused')
    expect(await kinds({ file_path: 'secret/b.txt' })).toBe('refused')
    const address = pathToFileURL(workspace).href
    expect(await kinds({ uri: `${address}/src/a.py` })).toBe('allowed')
    for (const uri of [
      `${address}/secret/b.txt`,
      'file:///etc/passwd',
      'FILE:/etc/passwd',
      'file:etc',
      'file://x/etc',
    ])
      expect(await kinds({ uri }), uri).toBe('refused')
    expect(await kinds({ text: 'secret/b.txt' })).toBe('allowed')
  })
})

describe('an agent with a policy', () => {
  const call = (tool: string, what = 'x') => ({ tool, args: { what } })

  test('is told of refused calls, which do not run, are recorded as such, and end nothing', async () => {
    const { ran, tools } = countingTools()
    const prompts: string[] = []
    const answers = [call('send'), call('put', 'wrong'), call('put', 'good'), submits]
    const model = scripted(({ prompt }, index) => {
      prompts.push(prompt.text)
      return answers[index] ?? submits
    })
    const policy = { tools: ['look', 'put'], args: { put: { what: 'good' } } }
    const { stop, of } = await run({ model, tools, policy })
    expect(stop.reason).toBe('submitted')
    expect(ran).toEqual({ look: 0, put: 1, send: 0 })
    expect(of('tool_result').map(({ data }) => [data.tool, data.outcome, data.policy])).toEqual([
      ['send', 'error', 'refused'],
      ['put', 'error', 'refused'],
      ['put', 'success', undefined],
      ['submit_result', 'success', undefined],
    ])
    expect(prompts[1]).toContain("Refused by this agent's policy: send may not be called")
    expect(prompts[2]).toContain('it must match good')
    expect(of('run_start')[0]?.data.tools.map(({ name }) => name)).toEqual(['look', 'put', 'submit_result'])
    expect(of('run_start')[0]?.data.origin).toMatchObject({
      policy: { ...policy, tools: ['look', 'put', 'submit_result'] },
    })
  })

  test('asks a person about what it names, and nobody is no', async () => {
    const answers = [call('send', '1'), call('send', '2'), call('look'), submits]
    const policy = { ask: ['effect'] }
    const { ran, tools } = countingTools()
    const asked: unknown[] = []
    const { of } = await run({
      model: scripted(answers),
      tools,
      policy,
      approve: async ({ tool, args }) => asked.push([tool, args]) === 1,
    })
    expect(asked).toEqual([
      ['send', { what: '1' }],
      ['send', { what: '2' }],
    ])
    expect(ran).toEqual({ look: 1, put: 0, send: 1 })
    expect(of('tool_result').map(({ data }) => data.policy)).toEqual([
      'approved',
      'denied',
      undefined,
      undefined,
    ])

    const alone = countingTools()
    const refused = await run({ model: scripted(answers), tools: alone.tools, policy })
    expect(alone.ran).toEqual({ look: 1, put: 0, send: 0 })
    expect(refused.of('tool_result')[0]?.data.error).toContain('nobody is there to give it')
  })

  test.runIf(contained(['true'], true).includes('--net'))(
    'without a network runs its commands without one, not even that of this machine',
    async () => {
      let asked = 0
      const server = createServer((_, response) => response.end(String(++asked)))
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const workspace = await scratch()
      const node = process.execPath
      const script = `fetch('http:' + '//127.0.0.1:${port}').then((r) => r.text()).then(console.log)`
      const reached = async (policy: Policy) => {
        const before = asked
        const { of } = await run({
          model: scripted([{ tool: 'run_command', args: { argv: [node, '-e', script] } }, submits]),
          tools: [runCommandTool({ allow: [{ program: node }] })],
          workspace,
          policy,
        })
        return [of('tool_result')[0]?.data.outcome, asked - before]
      }
      try {
        expect(await reached({})).toEqual(['success', 1])
        for (const network of [[], ['example.com'], ['127.0.0.1']])
          expect(await reached({ network }), String(network)).toEqual(['error', 0])
      } finally {
        server.close()
      }
    },
  )

  test('runs no command where the system can’t take the network away', async () => {
    const script = `
      import { runCommandTool } from '../../src/tool/run-command.ts'
      const { run } = runCommandTool({ allow: [{ program: process.execPath }] })
      const context = { workspace: process.cwd(), offline: process.argv[1] === 'offline' }
      await run({ argv: [process.execPath, '-e', 'console.log("it ran")'] }, context)
        .then((done) => console.log(done.result ?? done), (error) => console.log(error.code, error.message))`
    const printed = async (how: string) => {
      const args = ['--input-type=module', '-e', script, how]
      // Without a PATH there is no `unshare`.
      const { stdout } = await execFileAsync(process.execPath, args, { cwd: import.meta.dirname, env: {} })
      return stdout
    }
    expect(await printed('')).toContain('it ran')
    expect(await printed('offline')).toMatch(/^missing .*cannot take it away/)
  })

  test('that can’t be read is refused before the first event', async () => {
    const policy = { args: { put: { what: '(' } } }
    await expect(run({ model: scripted([]), policy })).rejects.toThrow(/args\.put\.what/)
  })
})
