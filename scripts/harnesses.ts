/**
 * Runs the tests with the real programs: installs them from npm into a folder of their own, 1 GB, and gives the tests its name.
 * What can't be installed is told, and its tests are skipped.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const PROGRAMS = ['@anthropic-ai/claude-code@2.1.327', '@openai/codex@0.169.0', 'opencode-linux-x64@1.18.33']

const folder = process.env['TWOTRACK_HARNESSES'] ?? join(homedir(), '.cache', 'twotrack-harnesses')
mkdirSync(folder, { recursive: true })
for (const program of PROGRAMS) {
  const { status } = spawnSync(
    'npm',
    ['install', '--silent', '--no-audit', '--ignore-scripts', '--prefix', folder, program],
    {
      env: process.env,
      stdio: 'inherit',
    },
  )
  if (status !== 0) console.error(`${program} could not be installed; its test is skipped.`)
}
const { status } = spawnSync('npx', ['vitest', 'run', 'test/harnesses'], {
  env: { ...process.env, TWOTRACK_HARNESSES: folder },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
