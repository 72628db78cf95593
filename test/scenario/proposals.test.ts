import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verifyLog } from '../../src/audit/verify.ts'
import { getBlob } from '../../src/core/store/store.ts'
import { markOwn } from '../../src/files/own-folder.ts'
import { Memory } from '../../src/memory.ts'
import { acceptProposal } from '../../src/run/accept.ts'
import { readProposal } from '../../src/run/proposal.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { merge } from '../../src/workspace/merged.ts'
import { folderWith, twotrack } from '../cli/run.ts'
import * as reply from '../model/replies.ts'
import { eventsOf, modelServer, PYTHON, PYTHON_FIXED, reportIn, textOf } from './project.ts'

/** The logs alone, in a folder of another machine: nothing of the project, nothing of what stands beside the log. */
function elsewhere(cwd: string): string {
  const other = folderWith()
  for (const part of ['traces', 'blobs'])
    cpSync(join(cwd, '.agentfs', part), join(other, '.agentfs', part), { recursive: true })
  markOwn(join(other, '.agentfs'))
  return other
}

test('run lint, accept, the project deleted, its log copied: what was accepted prints byte for byte and verifies', async () => {
  const cwd = folderWith({ 'a.py': PYTHON })
  await twotrack(cwd, ['run', 'lint', 'a.py', '--no-hub'])
  const proposed = await twotrack(cwd, ['changes', '--last'])
  expect((await twotrack(cwd, ['accept', '--last'])).code).toBe(0)
  const accepted = await twotrack(cwd, ['changes', '--accepted'])
  const other = elsewhere(cwd)
  rmSync(cwd, { recursive: true })

  const [{ agent_id }] = JSON.parse((await twotrack(other, ['runs', '--json'])).stdout)
  const seq = (await eventsOf(other, agent_id)).findIndex(({ type }) => type === 'accepted') + 1
  const shown = await twotrack(other, ['show', agent_id, '--event', String(seq), '--raw'])
  expect(proposed.stdout).toContain(shown.stdout)
  expect(accepted.stdout).toContain(shown.stdout)
  expect((await twotrack(other, ['changes', '--accepted'])).stdout).toBe(accepted.stdout)
  const indented = shown.stdout.replace(/^(?=.)/gm, '    ')
  expect((await twotrack(other, ['report', agent_id])).stdout).toContain(indented)
  expect((await twotrack(other, ['verify'])).stdout).toContain('1 file accepted')

  const again = folderWith({ 'a.py': PYTHON })
  execFileSync('git', ['apply', '-'], { cwd: again, input: shown.stdout })
  expect(textOf(again, 'a.py')).toBe(PYTHON_FIXED)
})

test('a proposal is taken from its log alone, on another machine where the base is the same', async () => {
  const cwd = folderWith({ 'a.py': PYTHON, 'b.py': PYTHON })
  await twotrack(cwd, ['run', 'lint', '.', '--no-hub'])
  expect(readdirSync(join(cwd, '.agentfs/workspaces'))).toEqual([])
  const other = elsewhere(cwd)
  writeFileSync(join(other, 'a.py'), PYTHON)
  writeFileSync(join(other, 'b.py'), `${PYTHON}# of the other machine\n`)
  expect((await twotrack(other, ['changes', '--stat'])).stdout).toContain('modified b.py +2 -2 merged')
  expect((await twotrack(other, ['accept', '--all'])).code).toBe(0)
  expect(textOf(other, 'a.py')).toBe(PYTHON_FIXED)
  expect(textOf(other, 'b.py')).toBe(`${PYTHON_FIXED}# of the other machine\n`)
  expect(await twotrack(other, ['verify'])).toMatchObject({ code: 0 })
})

const AGENT = `
name: changing
description: Changes files of every kind.
languages: [python]
node_types: [file]
prompt: Change them.
node_template: Change what stands beside {{file_path}}.
tools: [run_command]
commands: [{ program: node, starts: [change.cjs] }]
submit: { type: object, properties: { summary: { type: string } }, required: [summary] }
candidates:
  - when: { called_below: { run_command: 1 } }
    tool: run_command
    args: { argv: [node, change.cjs] }
    reason: first
  - tool: submit_result
    args: { summary: changed }
    reason: then
`
/** Binary, executable, removed, renamed, a link inside and one that leads out, and a file with a key in it. */
const SECRET = 'ghp_q7Zk2mX9vB4nT8sL1wR6yD3fH5jK0pC2aGxE8M'
const CHANGE = `
const { chmodSync, renameSync, rmSync, symlinkSync, writeFileSync } = require('node:fs')
writeFileSync('data.bin', Buffer.from([0, 255, 1]))
chmodSync('app.py', 0o755)
rmSync('gone.txt')
renameSync('old.txt', 'new.txt')
symlinkSync('app.py', 'link')
symlinkSync('/etc/passwd', 'out')
writeFileSync('key.txt', 'ghp_' + 'q7Zk2mX9vB4nT8sL1wR6yD3fH5jK0pC2aGxE8M' + '\\n')
`

test('files of every kind are proposed, taken and told; one with a secret is sealed for who has the key', async () => {
  const files = { 'app.py': PYTHON, 'gone.txt': 'gone\n', 'old.txt': 'moved\n', 'key.txt': 'none yet\n' }
  const cwd = folderWith({ ...files, 'change.cjs': CHANGE, 'agents/changing/agent.yaml': AGENT })
  const [done] = reportIn(await twotrack(cwd, ['run', 'changing', 'app.py', '--no-hub', '--trust', '--json']))
  const id = done?.agent_id ?? ''
  const { stdout } = await twotrack(cwd, ['changes', '--stat'])
  expect(stdout).toContain('added new.txt (was old.txt)')
  const conflict = await twotrack(cwd, ['accept', id])
  expect(conflict).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('out: it is a link that leads out'),
  })
  expect(textOf(cwd, 'key.txt')).toBe('none yet\n')
  expect((await twotrack(cwd, ['accept', id, '--partial'])).code).toBe(1)
  expect(textOf(cwd, 'key.txt')).toBe(`${SECRET}\n`)
  expect(readFileSync(join(cwd, 'data.bin'))).toEqual(Buffer.from([0, 255, 1]))
  expect(statSync(join(cwd, 'app.py')).mode & 0o111).not.toBe(0)
  expect(readdirSync(cwd).sort()).toEqual(
    ['.agentfs', '.git', 'agents', 'app.py', 'change.cjs', 'data.bin', 'key.txt', 'link', 'new.txt'].sort(),
  )

  const grep = (folder: string, from = '.') =>
    execFileSync('sh', ['-c', `grep -rl ${SECRET} ${from} || true`], { cwd: folder }).toString()
  const names = readdirSync(join(cwd, '.agentfs/blobs'), { recursive: true, encoding: 'utf8' })
  const blobs = names.flatMap((name) => /([0-9a-f]{64})/.exec(name)?.[1] ?? [])
  const store = jsonlStore({ folder: join(cwd, '.agentfs') })
  const contents = await Promise.all(blobs.map(async (digest) => Buffer.from(await getBlob(store, digest))))
  await store.close()
  expect(contents.filter((bytes) => bytes.includes('twotrack sealed'))).not.toEqual([])
  expect(contents.filter((bytes) => bytes.includes(SECRET))).toEqual([])
  expect(grep(cwd, '.agentfs')).toBe('')
  const accepted = (await eventsOf(cwd, id)).find(({ type }) => type === 'accepted')
  expect(accepted?.data).toMatchObject({
    files: expect.arrayContaining([
      expect.objectContaining({ path: 'key.txt', written: expect.objectContaining({ secret: true }) }),
    ]),
  })
  expect((await twotrack(cwd, ['changes', id, '--accepted'])).stdout).toContain(`+${SECRET}`)
  // It is in the log for who has the key alone.
  const other = elsewhere(cwd)
  const stranger = (...args: string[]) =>
    twotrack(other, [...args, '--folder', '.agentfs'], { env: { XDG_STATE_HOME: folderWith() } })
  const told = (await stranger('changes', id, '--accepted')).stdout
  expect(told).toContain(
    '# "key.txt": it holds a secret, and the key that its content is sealed with is not here',
  )
  expect((await twotrack(other, ['changes', id, '--accepted'])).stdout).toContain(`+${SECRET}`)
  expect(grep(other)).toBe('')
  expect(await stranger('verify')).toMatchObject({ code: 0 })
  expect((await twotrack(cwd, ['report', id])).stdout).not.toContain(SECRET)

  expect((await twotrack(cwd, ['redact', SECRET, '--yes'])).code).toBe(0)
  expect((await twotrack(cwd, ['changes', id, '--accepted'])).stdout).toContain('+[redacted]')
  expect(await twotrack(cwd, ['verify'])).toMatchObject({ code: 0 })
  const base = folderWith(files)
  execFileSync('git', ['apply', '-'], { cwd: base, input: told })
  for (const name of ['data.bin', 'app.py', 'new.txt', 'link'])
    expect(readFileSync(join(base, name))).toEqual(readFileSync(join(cwd, name)))
  expect(statSync(join(base, 'app.py')).mode & 0o111).not.toBe(0)
  expect(existsSync(join(base, 'old.txt'))).toBe(false)
})

test('an acceptance that does not follow from the proposal is found', async () => {
  const cwd = folderWith({ 'a.py': PYTHON })
  await twotrack(cwd, ['run', 'lint', 'a.py', '--no-hub'])
  const store = jsonlStore({ folder: join(cwd, '.agentfs') })
  const [log] = await store.list()
  const agent_id = log?.agent_id ?? ''
  const memory = await Memory.open({ store, agentId: agent_id })
  const forged = await store.putBlob(Buffer.from('import evil\n'), 'text')
  const written = { sha256: forged.sha256, bytes: forged.bytes, mode: '100644' } as const
  const file = { path: 'a.py', how: 'whole', project: null, written } as const
  const data = { by: 'user', files: [file, { ...file, path: 'other.py' }] }
  await memory.record({ type: 'accepted', data }, { [forged.sha256]: forged })
  await memory.close()
  const { ok, findings } = await verifyLog(store, agent_id)
  expect(ok).toBe(false)
  expect(findings.map(({ what }) => what)).toEqual([
    '"a.py" was written as something that does not follow from what was proposed',
    '"other.py" was accepted, and not proposed',
  ])
  await store.close()
})

test('what was accepted outlives compact; redact takes a text out of it, and the rest still verifies', async () => {
  const cwd = folderWith({ 'a.py': PYTHON })
  await twotrack(cwd, ['run', 'lint', 'a.py', '--no-hub'])
  await twotrack(cwd, ['accept', '--last'])
  const { stdout } = await twotrack(cwd, ['changes', '--accepted'])
  expect((await twotrack(cwd, ['compact', '--older-than', '0d', '--apply'])).stdout).toContain('1 log')
  expect((await twotrack(cwd, ['changes', '--accepted'])).stdout).toBe(stdout)
  expect((await twotrack(cwd, ['redact', 'B = 2', '--yes'])).code).toBe(0)
  const redacted = (await twotrack(cwd, ['changes', '--accepted'])).stdout
  expect(redacted).toBe(stdout.replaceAll('B = 2', '[redacted]'))
  expect(await twotrack(cwd, ['verify'])).toMatchObject({ code: 0 })
})

test('a second run that proposes the same leaves no empty proposal', async () => {
  const cwd = folderWith({ 'a.py': PYTHON })
  for (const _ of [1, 2]) await twotrack(cwd, ['run', 'lint', 'a.py', '--no-hub'])
  const changes = async () => JSON.parse((await twotrack(cwd, ['changes', '--json'])).stdout)
  expect(await changes()).toMatchObject([{ changes: [{ path: 'a.py', lines_added: 2 }] }])
  const stat = await twotrack(cwd, ['changes', 'lint#1', 'lint#2', '--stat'])
  expect(stat.stdout).toContain('lint#1')
  expect(stat.stderr).toContain('No diff of lint#2 (1 agent): the project has')
  expect((await twotrack(cwd, ['accept', '--all'])).code).toBe(0)
  expect(textOf(cwd, 'a.py')).toBe(PYTHON_FIXED)
  expect(await changes()).toEqual([])
})

test('an agent that has finished, or has no changes left, is said once: resume, accept, reject', async () => {
  const cwd = folderWith({ 'a.py': PYTHON })
  await twotrack(cwd, ['run', 'lint', 'a.py', '--no-hub'])
  await twotrack(cwd, ['accept', 'lint#1'])
  expect(await twotrack(cwd, ['resume', 'lint#1'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('lint#1 has finished; there is nothing to go on with.'),
  })
  for (const command of ['accept', 'reject'])
    expect((await twotrack(cwd, [command, 'lint#1'])).stderr).toMatch(/^\S+ proposes no changes\.\n$/)
  expect(await twotrack(cwd, ['reject', '--last', '--run', 'x'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('either --last or --run x, not both'),
  })
  expect((await twotrack(cwd, ['verify', '--heads', 'none.json'])).stderr).toBe(
    'twotrack: There is no file none.json.\n',
  )
})

test('what is proposed by unfinished agents alone is not offered to be taken at once', async () => {
  const cwd = folderWith({ 'a.py': PYTHON })
  const fix = reply.says({ calls: [{ tool: 'apply_fixes', args: {} }] })
  const server = await modelServer([fix, reply.error(401, 'no more')])
  const asks = ['--model', 'openai:test', '--url', `${server.url}/v1`, '--no-hub']
  const { stdout } = await twotrack(cwd, ['run', 'lint', 'a.py', ...asks])
  expect(stdout).toContain('1 proposes changes')
  expect(stdout).not.toContain('accept --all')
  expect(stdout).toMatch(/Go on: {6}.* resume --last\n/)
})

test('export knows the options that it recommends', async () => {
  const cwd = folderWith({ 'a.py': PYTHON })
  await twotrack(cwd, ['run', 'lint', 'a.py', '--no-hub'])
  expect((await twotrack(cwd, ['export'])).stderr).toContain('--last, --run ID or --all')
  const { code, stdout } = await twotrack(cwd, ['export', '--all'])
  expect(code).toBe(0)
  expect(stdout).toContain('"type":"run_end"')
})

test('a file of which redact took a text is refused, the others are taken and counted', async () => {
  const cwd = folderWith({ 'a.py': PYTHON, 'b.py': PYTHON.replace('B = 2', 'C = 3') })
  await twotrack(cwd, ['run', 'lint', '.', '--no-hub'])
  const open = "proposed a.py: it can't be accepted after this"
  expect((await twotrack(cwd, ['redact', 'B = 2'])).stdout).toContain(open)
  expect((await twotrack(cwd, ['redact', 'B = 2', '--yes'])).stdout).toContain(open)
  const why = 'conflict lint#1: a.py: a text was taken out of it by redact'
  expect(await twotrack(cwd, ['accept', '--last'])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(why),
  })
  expect(textOf(cwd, 'a.py')).toBe(PYTHON)
  expect(textOf(cwd, 'b.py')).toBe(PYTHON_FIXED.replace('B = 2', 'C = 3'))
  expect((await twotrack(cwd, ['changes', 'lint#1'])).stdout).toMatch(
    /^# .*\n# conflict in a\.py: a text was taken out of it.*\n$/,
  )
  const stat = await twotrack(cwd, ['changes', '--accepted', '--stat'])
  expect(stat.stdout).toMatch(/^# .*: 1 file\n {2}b\.py \+2 -2\n$/)
  expect(await twotrack(cwd, ['verify'])).toMatchObject({ code: 0 })
})

test('what is left of a file that was taken in part is refused too once redact took a text of it', async () => {
  const cwd = folderWith({ 'a.py': PYTHON })
  await twotrack(cwd, ['run', 'lint', 'a.py', '--no-hub'])
  const store = jsonlStore({ folder: join(cwd, '.agentfs') })
  const agentId = (await store.list({ operation: 'lint' }))[0]?.agent_id ?? ''
  const log = { store, agentId, project: cwd }
  const [file] = await merge(log, (await readProposal(store, agentId)).pending.values())
  if (!file?.next) throw new Error('a file is proposed')
  const first = PYTHON.replace(';', '')
  const next = { ...file.next, content: Buffer.from(first) }
  await acceptProposal(log, { files: [{ ...file, how: 'part', places: [0], next, left: file.next }] })
  await store.close()
  expect(textOf(cwd, 'a.py')).toBe(first)
  expect((await twotrack(cwd, ['redact', 'B = 2', '--yes'])).stdout).toContain('proposed a.py')
  const { code, stdout } = await twotrack(cwd, ['accept', '--last'])
  expect({ code, stdout }).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('a text was taken out of it'),
  })
  expect(textOf(cwd, 'a.py')).toBe(first)
  expect(await twotrack(cwd, ['verify'])).toMatchObject({ code: 0 })
})
