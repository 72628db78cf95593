/**
 * Runs the tests with the real programs: installs them from npm into a folder of their own, 1 GB, and gives the tests its name.
 * What can't be installed is told, and its tests are skipped.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const PROGRAMS = [
  { name: '@anthropic-ai/claude-code', version: '2.1.327' },
  { name: '@openai/codex', version: '0.169.0' },
  { name: 'opencode-linux-x64', version: '1.18.34' },
  { name: '@modelcontextprotocol/inspector', version: '2.12.0' },
]
const INSTALL_MS_MAX = 600_000

const folder = process.env['TWOTRACK_HARNESSES'] ?? join(homedir(), '.cache', 'twotrack-harnesses')
mkdirSync(folder, { recursive: true })
for (const { name, version } of PROGRAMS) {
  console.log(`${name}@${version} into ${folder} …`)
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder]
  const options = { encoding: 'utf8', timeout: INSTALL_MS_MAX } as const
  const { status, stderr, error } = spawnSync('npm', [...args, `${name}@${version}`], options)
  const why = error?.message ?? stderr.split('\n').find((line) => line.startsWith('npm error')) ?? ''
  if (status !== 0 || !existsSync(join(folder, 'node_modules', name)))
    console.error(`${name}@${version} can't be had here, so its test is skipped: ${why}`)
}
const { status } = spawnSync('npx', ['vitest', 'run', 'test/harnesses'], {
  env: { ...process.env, TWOTRACK_HARNESSES: folder },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
