import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { HarnessName } from '../../src/hook/harnesses.ts'
import { installing, type Places, removing, writeSettings } from '../../src/hook/install.ts'

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

let top = ''
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'twotrack-install-')))
  mkdirSync(join(top, 'project', '.git'), { recursive: true })
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

function hook(...args: string[]) {
  const env = { PATH: process.env['PATH'] ?? '', HOME: top, XDG_STATE_HOME: join(top, 'state') }
  const cwd = join(top, 'project')
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'hook', ...args], {
    cwd,
    env,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

const FILES = {
  'claude-code': ['project/.claude/settings.local.json', '.claude/settings.json'],
  codex: ['project/.codex/hooks.json', '.codex/hooks.json'],
  opencode: ['project/.opencode/plugins/twotrack.js', '.config/opencode/plugins/twotrack.js'],
} as const
const cases = Object.entries(FILES).flatMap(([harness, [project, user]]) => [
  [harness as HarnessName, 'project', project] as const,
  [harness as HarnessName, 'user', user] as const,
])

const places = (): Places => ({
  ...{ root: join(top, 'project'), home: top, env: {}, state: join(top, 'state'), node: '/bin/node' },
  ...{ hook: '/twotrack/app/hook-process.js', plugin: '/twotrack/hook/opencode-plugin.js' },
})

test.each(cases)('%s for the %s: written, and gone without a trace', async (harness, scope, path) => {
  const file = join(top, path)
  const change = installing(harness, scope, places())
  expect(change).toMatchObject({ file, before: null, after: expect.stringContaining('hook-process.js') })
  expect(existsSync(file)).toBe(false)
  await writeSettings(change, places(), true)
  expect(readFileSync(file, 'utf8')).toBe(change.after)
  expect(installing(harness, scope, places())).toMatchObject({ before: change.after, after: change.after })
  await writeSettings(await removing(harness, scope, places()), places(), false)
  expect(existsSync(dirname(file))).toBe(false)
  expect(await removing(harness, scope, places())).toMatchObject({ before: null, after: null })
})

test('the command shows the change first, and writes it when it is agreed to', () => {
  const file = join(top, 'project/.codex/hooks.json')
  expect(hook('install', 'codex')).toMatchObject({ status: 2, stdout: expect.stringContaining('+{') })
  expect(existsSync(file)).toBe(false)
  expect(hook('install', 'codex', '--yes').status).toBe(0)
  expect(readFileSync(file, 'utf8')).toContain('SessionStart')
  expect(hook('remove', 'codex', '--yes', '--json')).toMatchObject({ status: 0 })
  expect(existsSync(dirname(file))).toBe(false)
})

test('the packet alone is for OpenCode, which can send it', () => {
  expect(hook('install', 'codex', '--instead', '--yes')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--instead is for opencode'),
  })
  expect(hook('install', 'opencode', '--instead').stdout).toContain('--project --instead --yes')
  hook('install', 'opencode', '--instead', '--yes')
  expect(readFileSync(join(top, FILES.opencode[0]), 'utf8')).toContain('"instead":true')
  hook('install', 'opencode', '--yes')
  expect(readFileSync(join(top, FILES.opencode[0]), 'utf8')).not.toContain('instead')
})

test('what was there comes back byte for byte, however it was written', () => {
  const file = join(top, '.claude', 'settings.json')
  mkdirSync(dirname(file))
  const mine =
    '{ "model":"opus",\n\t"hooks": {"Stop": [ {"hooks":[{"type":"command","command":"say done"}]} ] , "PreCompact":[]},\n "n": 1.0}\r\n\n'
  writeFileSync(file, mine)
  hook('install', 'claude-code', '--user', '--yes')
  const both = JSON.parse(readFileSync(file, 'utf8'))
  expect(both).toMatchObject({ model: 'opus', hooks: { Stop: [{ hooks: [{ command: 'say done' }] }, {}] } })
  hook('remove', 'claude-code', '--user', '--yes')
  expect(readFileSync(file, 'utf8')).toBe(mine)
})

test('what changed since stays, and only the hook goes', () => {
  const file = join(top, '.claude', 'settings.json')
  mkdirSync(dirname(file))
  const mine = { model: 'opus', hooks: { Stop: [{ hooks: [{ type: 'command', command: 'say done' }] }] } }
  writeFileSync(file, JSON.stringify(mine))
  hook('install', 'claude-code', '--user', '--yes')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), theme: 'dark' }))
  hook('remove', 'claude-code', '--user', '--yes')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...mine, theme: 'dark' })
})

test('where nothing is installed nothing is removed, and settings stay as they were written', () => {
  const file = join(top, '.claude', 'settings.json')
  mkdirSync(dirname(file))
  const mine = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]},"model":"opus"}'
  writeFileSync(file, mine)
  for (let round = 0; round < 2; round++) {
    const { status, stdout } = hook('remove', 'claude-code', '--user', '--yes')
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('has nothing of it') })
    expect(readFileSync(file, 'utf8')).toBe(mine)
    hook('install', 'claude-code', '--user', '--yes')
    hook('remove', 'claude-code', '--user', '--yes')
  }
})

test('a link to the settings stays one, and a file keeps who may read it', () => {
  const [link, file] = [join(top, '.claude', 'settings.json'), join(top, 'dotfiles', 'claude.json')]
  for (const path of [link, file]) mkdirSync(dirname(path))
  writeFileSync(file, '{}', { mode: 0o644 })
  symlinkSync(file, link)
  for (const [action, has] of [
    ['install', true],
    ['remove', false],
  ] as const) {
    expect(hook(action, 'claude-code', '--user', '--yes')).toMatchObject({ status: 0 })
    expect(readFileSync(file, 'utf8').includes('hook-process')).toBe(has)
    expect([readlinkSync(link), statSync(file).mode & 0o777]).toEqual([file, 0o644])
  }
})

test('a link that a project brings is not followed', () => {
  const file = join(top, 'claude.json')
  writeFileSync(file, '{}')
  for (const path of ['.claude', '.claude/settings.local.json']) {
    const link = join(top, 'project', path)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(path === '.claude' ? top : file, link)
    expect(hook('install', 'claude-code', '--yes').stderr).toContain(`${link} is a link`)
    rmSync(link)
  }
  expect([readFileSync(file, 'utf8'), existsSync(join(top, 'settings.local.json'))]).toEqual(['{}', false])
})

test('settings that are no JSON are left alone, and told', () => {
  const file = join(top, '.claude', 'settings.json')
  mkdirSync(dirname(file))
  writeFileSync(file, '{ // mine\n}')
  const { status, stderr } = hook('install', 'claude-code', '--user', '--yes')
  expect(status).toBe(2)
  expect(stderr).toContain('not a JSON object')
  expect(readFileSync(file, 'utf8')).toBe('{ // mine\n}')
  const latin = Buffer.from('{"a":"\xe9"}', 'latin1')
  writeFileSync(file, latin)
  expect(hook('install', 'claude-code', '--user', '--yes').stderr).toContain('not UTF-8')
  expect(readFileSync(file)).toEqual(latin)
  expect(hook('install', 'emacs', '--yes').stderr).toContain('claude-code, codex, opencode')
})

test("settings with Windows' ends of lines keep them", () => {
  const file = join(top, '.claude', 'settings.json')
  mkdirSync(dirname(file))
  writeFileSync(file, '{\r\n  "model": "opus"\r\n}\r\n')
  hook('install', 'claude-code', '--user', '--yes')
  expect(readFileSync(file, 'utf8')).not.toMatch(/[^\r]\n/)
  hook('remove', 'claude-code', '--user', '--yes')
  expect(readFileSync(file, 'utf8')).toBe('{\r\n  "model": "opus"\r\n}\r\n')
})
