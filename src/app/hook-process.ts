// Started by a harness at each step, so it loads next to nothing: what it is told goes into a file, and that is all. Only where
// a session begins the rest is loaded, to give the packet back.
import { readFileSync } from 'node:fs'
import { projectOf } from '../config/project.ts'
import { spool } from '../hook/spool.ts'

try {
  const [harness = '', event = ''] = process.argv.slice(2)
  const payload = readFileSync(0)
  // Where the session began; its agent may have gone elsewhere since.
  const project = process.env['CLAUDE_PROJECT_DIR']
  if (project) process.chdir(project)
  if (event === 'SessionStart') await giveBack(harness, payload.toString())
  else await spool(projectOf(process.cwd()).root, harness, payload)
} catch (thrown) {
  // Whatever is wrong here must not stop the harness.
  process.stderr.write(`twotrack hook: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`)
}
process.exitCode = 0

async function giveBack(name: string, payload: string): Promise<void> {
  const [{ packetFor }, { harnessNamed }] = await Promise.all([
    import('./given.ts'),
    import('../hook/harnesses.ts'),
  ])
  const harness = harnessNamed(name)
  const additionalContext = harness && (await packetFor(harness, payload))
  if (additionalContext === undefined) return
  const hookSpecificOutput = { hookEventName: 'SessionStart', additionalContext }
  process.stdout.write(`${JSON.stringify({ hookSpecificOutput })}\n`)
}
