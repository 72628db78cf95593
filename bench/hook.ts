/**
 * What a hook costs beyond Node's own start: processor time and the time until it is done, the median of 15, of the built
 * package (`npm run build` first) or of `src`. `node bench/hook.ts [dist|src]`
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const [from = 'dist'] = process.argv.slice(2)
const hook = resolve(from === 'src' ? 'src/app/hook-process.ts' : 'dist/app/hook-process.js')
if (!existsSync(hook)) throw new Error(`There is no ${hook}: npm run build`)
const root = mkdtempSync(join(tmpdir(), 'twotrack-bench-'))
mkdirSync(join(root, '.git'))
const input = JSON.stringify({
  session_id: 'bench',
  hook_event_name: 'PostToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'npm test' },
  tool_response: { stdout: 'a line of output\n'.repeat(2_000), stderr: '' },
  tool_use_id: 'toolu_1',
})

/** Processor and wall time of one process, in milliseconds. */
function cost(args: readonly string[]): { cpu: number; wall: number } {
  const shell = `TIMEFORMAT='%U %S'; time "$0" "$@" > /dev/null`
  const begun = performance.now()
  const env = { PATH: process.env['PATH'] ?? '' }
  const run = spawnSync('bash', ['-c', shell, process.execPath, ...args], {
    cwd: root,
    env,
    input,
    encoding: 'utf8',
  })
  const wall = performance.now() - begun
  const seconds = (run.stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number)
  return { cpu: seconds.reduce((sum, one) => sum + one, 0) * 1_000, wall }
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0
const runs = Array.from({ length: 15 }, () => ({
  node: cost(['-e', '0']),
  hook: cost([hook, 'claude-code', 'PostToolUse']),
}))
for (const what of ['cpu', 'wall'] as const) {
  const [node, own] = [median(runs.map((run) => run.node[what])), median(runs.map((run) => run.hook[what]))]
  console.log(
    `${what}: node ${node.toFixed(0)} ms, hook ${own.toFixed(0)} ms, beyond node ${(own - node).toFixed(0)} ms`,
  )
}
rmSync(root, { recursive: true, force: true })
