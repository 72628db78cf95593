/**
 * Time and peak memory of importing a session of Claude Code: `node bench/import.ts [megabytes]`. The session is made up: each
 * turn runs a command or reads a file, with an output of 2 to 30 kB. The import runs in a process of its own, as a person starts it.
 */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const megabytes = Number(process.argv[2] ?? 100)
const root = mkdtempSync(join(tmpdir(), 'twotrack-bench-'))
mkdirSync(join(root, '.git'))
const file = join(root, 'session.jsonl')

const out = openSync(file, 'w')
let bytes = 0
let calls = 0
let line = 0
const write = (value: object) => {
  const common = {
    sessionId: 'bench',
    isSidechain: false,
    cwd: '/srv/shop',
    version: '2.1.0',
    uuid: `u${++line}`,
  }
  const timestamp = new Date(Date.UTC(2026, 0, 1) + line * 1_000).toISOString()
  bytes += writeSync(out, `${JSON.stringify({ ...common, timestamp, ...value })}\n`)
}
write({ type: 'user', message: { role: 'user', content: 'Make the tests of the shop pass.' } })
while (bytes < megabytes * 1_000_000) {
  const id = `toolu_${++calls}`
  const isRead = calls % 3 === 0
  const input = isRead
    ? { file_path: `/srv/shop/src/module${calls % 400}.py` }
    : { command: `pytest tests/test_${calls % 90}.py` }
  const content = [
    { type: 'text', text: `Step ${calls}: I look at what test ${calls % 90} says.` },
    { type: 'tool_use', id, name: isRead ? 'Read' : 'Bash', input },
  ]
  const usage = { input_tokens: 9_000, output_tokens: 60 }
  write({
    type: 'assistant',
    message: { id: `msg_${calls}`, role: 'assistant', model: 'claude-x', content, usage },
  })
  const rows = Array.from({ length: 40 + ((calls * 37) % 560) }, (_, at) =>
    isRead
      ? `${at + 1}\tdef function_${calls}_${at}(value): return value + ${at}`
      : `tests/test_${calls}.py::test_${at} PASSED [${at}%]`,
  )
  const result = { type: 'tool_result', tool_use_id: id, content: rows.join('\n') }
  write({ type: 'user', message: { role: 'user', content: [result] } })
}
closeSync(out)

const main = resolve('src/cli/main.ts')
const begun = performance.now()
const env = { PATH: process.env['PATH'] ?? '', HOME: root }
const run = spawnSync('/usr/bin/time', ['-v', process.execPath, main, 'import', file, '--json'], {
  cwd: root,
  env,
  encoding: 'utf8',
})
const seconds = (performance.now() - begun) / 1_000
const [imported] = JSON.parse(run.stdout)
const peak = Number(/Maximum resident set size \(kbytes\): (\d+)/.exec(run.stderr)?.[1]) / 1_000
const cpu = [...run.stderr.matchAll(/(?:User|System) time \(seconds\): ([\d.]+)/g)].reduce(
  (sum, [, one]) => sum + Number(one),
  0,
)
const megabytesRead = statSync(file).size / 1_000_000
console.log(
  `${megabytesRead.toFixed(0)} MB, ${calls} calls: ${imported.calls} imported in ${seconds.toFixed(0)} s (${cpu.toFixed(0)} s of processor time), peak ${peak.toFixed(0)} MB`,
)
rmSync(root, { recursive: true, force: true })
