import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { TwotrackError } from '../errors.ts'

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
