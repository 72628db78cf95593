import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chars } from '../secrets/made.ts'
import { folderWith, TRAJECTORY, twotrack } from './run.ts'

const secret = `ghp_${chars(36, 'in the vault')}`
const keep = ['--set', 'runner.memory.vault_days=7']

/** A project with a recording in which a secret was hidden, and its original kept. */
async function kept(): Promise<string> {
  const text = readFileSync(TRAJECTORY, 'utf8').replaceAll('10 passed', `10 passed with ${secret}`)
  const cwd = folderWith({ 'a.jsonl': text })
  expect((await twotrack(cwd, ['import', 'a.jsonl', ...keep])).code).toBe(0)
  return cwd
}
const vaultOf = (cwd: string) => join(cwd, '.agentfs', 'vault.jsonl')

describe('the vault of hidden secrets', () => {
  test('gives an original back by its placeholder, and no file of the project holds it', async () => {
    const cwd = await kept()
    const shown = await twotrack(cwd, ['show', 'import-a', '--json'])
    const [placeholder = ''] = /\[secret:[a-z0-9-]+:[0-9a-f]{12}\]/.exec(shown.stdout) ?? []
    const revealed = await twotrack(cwd, ['reveal', placeholder, '--json'])
    expect(JSON.parse(revealed.stdout)).toMatchObject([{ placeholder, original: secret }])
    expect((await twotrack(cwd, ['reveal', placeholder.slice(-13, -1)])).stdout).toContain(secret)
    expect((await twotrack(cwd, ['reveal', '000000000000'])).code).toBe(2)
    const folder = join(cwd, '.agentfs')
    for (const file of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (file.isFile())
        expect(readFileSync(join(file.parentPath, file.name), 'latin1'), file.name).not.toContain(secret)
    expect(statSync(vaultOf(cwd)).mode & 0o777).toBe(0o600)
  })

  test('another person, a later date and another placeholder open nothing', async () => {
    const cwd = await kept()
    const before = readFileSync(vaultOf(cwd), 'utf8')
    const later = before.replace(/"until":"\d{4}/, '"until":"2099')
    writeFileSync(vaultOf(cwd), later)
    expect((await twotrack(cwd, ['reveal'])).stdout).not.toContain(secret)
    writeFileSync(vaultOf(cwd), before.replace(/:[0-9a-f]{12}\]/, ':000000000000]'))
    expect((await twotrack(cwd, ['reveal'])).stdout).not.toContain(secret)
    writeFileSync(vaultOf(cwd), before)
    const other = { env: { XDG_STATE_HOME: folderWith() } }
    expect((await twotrack(cwd, ['reveal', '--folder', '.agentfs'], other)).stdout).not.toContain(secret)
    expect((await twotrack(cwd, ['reveal'])).stdout).toContain(secret)
  })

  test('forgets what is over', async () => {
    const cwd = await kept()
    const again = folderWith({ 'a.jsonl': readFileSync(join(cwd, 'a.jsonl')) })
    await twotrack(again, ['import', 'a.jsonl', '--set', 'runner.memory.vault_days=0'])
    expect((await twotrack(again, ['reveal'])).stdout).toContain('The vault is empty')
    expect(readdirSync(join(again, '.agentfs'))).not.toContain('vault.jsonl')
    expect((await twotrack(cwd, ['reveal'])).stdout).toContain(secret)
  })

  test.each([[['--secrets']], [[secret]]])('redact %s empties it', async (what) => {
    const cwd = await kept()
    await twotrack(cwd, ['redact', ...what])
    expect((await twotrack(cwd, ['reveal'])).stdout).toContain(secret)
    await twotrack(cwd, ['redact', ...what, '--yes'])
    expect((await twotrack(cwd, ['reveal'])).stdout).toContain('The vault is empty')
    expect(readdirSync(join(cwd, '.agentfs'))).not.toContain('vault.jsonl')
  })
})
