import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

/** Where `npm run test:harnesses` installed it. */
const INSPECTOR = join(process.env['TWOTRACK_HARNESSES'] ?? '', 'node_modules', '.bin', 'mcp-inspector')
const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const isHere = process.env['TWOTRACK_HARNESSES'] !== undefined && existsSync(INSPECTOR)

test.skipIf(!isHere)(
  `mcp-inspector asks twotrack mcp (${isHere ? INSPECTOR : 'not installed: npm run test:harnesses'})`,
  () => {
    const cwd = mkdtempSync(join(tmpdir(), 'twotrack-inspector-'))
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
    mkdirSync(join(cwd, '.git'))
    writeFileSync(join(cwd, 'chat.json'), '[{"role":"user","content":"Fix the shop"}]')
    // A client hands on few variables: what is the person's own has to be found by HOME.
    const env = { PATH: process.env['PATH'] ?? '', HOME: cwd }
    const options = { cwd, env, encoding: 'utf8' } as const
    expect(spawnSync(process.execPath, [MAIN, 'import', 'chat.json'], options).status).toBe(0)
    const asked = (...args: string[]) => {
      const server = [process.execPath, MAIN, 'mcp']
      const command = ['--cli', '--connect-timeout', '200000', ...server, ...args]
      const { stdout, stderr } = spawnSync(INSPECTOR, command, options)
      expect(stdout, stderr).toMatch(/^\{/)
      return JSON.parse(stdout)
    }
    const { tools } = asked('--method', 'tools/list')
    expect(tools.map(({ name }: { name: string }) => name).sort()).toEqual(
      ['blind_spots', 'diff', 'packet', 'recall', 'runs', 'search', 'verify', 'why'].sort(),
    )
    const packet = (agent: string) =>
      asked('--method', 'tools/call', '--tool-name', 'packet', '--tool-arg', `agent=${agent}`)
    expect(packet('import-chat').content[0].text).toContain('Fix the shop')
    expect(packet('nobody')).toMatchObject({ isError: true })
  },
  300_000,
)
