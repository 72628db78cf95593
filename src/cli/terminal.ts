import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { canonical } from '../core/event/json.ts'
import { TwotrackError } from '../errors.ts'
import type { AgentOptions } from '../run/agent-options.ts'
import { safe } from './output.ts'
import type { Progress } from './progress.ts'

/** Asks the person at the terminal. No answer, an end of input and an interruption are no. */
export const askYes = async (question: string, signal?: AbortSignal): Promise<boolean> =>
  /^y(es)?$/i.test((await askText(question, signal)).trim())

/** The same for any answer in a line; none is empty. */
export async function askText(question: string, signal?: AbortSignal): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  terminal.on('SIGINT', () => {
    terminal.close()
    // The terminal gave it to the question; whoever else waits for it has to know.
    process.kill(process.pid, 'SIGINT')
  })
  try {
    const closed = once(terminal, 'close').then(() => '')
    return await Promise.race([terminal.question(question, signal ? { signal } : {}), closed])
  } catch {
    return ''
  } finally {
    terminal.close()
  }
}

/** Asks the person at the terminal about calls that an agent's policy names, one after the other; undefined without one. */
export function approveAt(progress: Progress): AgentOptions['approve'] {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  let before: Promise<unknown> = Promise.resolve()
  return (call, signal) => {
    const asked = before.then(async () => {
      progress.hold()
      const what = `${safe(call.agent_id)} wants to call ${safe(call.tool)} ${safe(canonical(call.args))}`
      try {
        return await askYes(`${what}\nMay it? [y/N] `, signal)
      } finally {
        progress.release()
      }
    })
    before = asked
    return asked
  }
}

/** The person's own program for texts, as git finds it. */
const editor = (): string => process.env['VISUAL'] || process.env['EDITOR'] || 'vi'

/** What a person makes of a content in their editor. The file has the ending of `path`, so that it is shown as what it is. */
export async function edited(path: string, content: Uint8Array): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'twotrack-edit-'))
  const file = join(folder, `change${extname(path).replace(/[^\w.]/g, '')}`)
  try {
    await writeFile(file, content)
    const code = await new Promise((resolve, reject) => {
      // By the shell, since an editor is often named with options: `code --wait`. It is the person's own: it gets all.
      spawn(`${editor()} "${file}"`, { shell: true, stdio: 'inherit', env: process.env })
        .on('exit', resolve)
        .on('error', reject)
    })
    if (code !== 0)
      throw new TwotrackError('io', `${editor()} ended with ${code}. Set EDITOR to the editor you use.`)
    return await readFile(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
