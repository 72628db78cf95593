import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { commandName } from '../../src/cli/output.ts'
import { MAIN } from './run.ts'

test('an older Node is told what is needed, in one line', async () => {
  const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.11.1' } })`
  const args = ['--import', `data:text/javascript,${encodeURIComponent(older)}`, MAIN, 'runs']
  const failed: unknown = await promisify(execFile)(process.execPath, args).catch((thrown: unknown) => thrown)
  expect(failed).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^twotrack needs Node 24 or later; this is v20\.11\.1\.[^\n]*\n$/),
  })
})

test('so is whoever imports the package under one', async () => {
  const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.11.1' } })`
  const entry = JSON.stringify(new URL('../../src/index.ts', import.meta.url).href)
  const program = `${older}\nconsole.log(await import(${entry}).then(() => 'imported', ({ message }) => message))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  expect(stdout).toMatch(/^twotrack needs Node 24 or later; this is v20\.11\.1\./)
})

test('nothing is imported before the version is known', () => {
  expect(readFileSync(MAIN, 'utf8')).not.toMatch(/^import /m)
})

test.each([
  ['the command on the path', undefined, '/usr/bin/twotrack', 'twotrack'],
  ['npx', 'npx', '/app/node_modules/.bin/twotrack', 'npx twotrack'],
  ["a script of somebody's package.json", 'lint', '/app/node_modules/.bin/twotrack', 'npx twotrack'],
  ['npm start in the checkout', 'start', '/app/src/cli/main.ts', 'npm run twotrack --'],
  ['node in the checkout', undefined, '/app/src/cli/main.ts', 'node src/cli/main.ts'],
])('hints name the command as it was started: %s', (_, npmScript, program, name) => {
  expect(commandName(npmScript, program, '/app')).toBe(name)
})
