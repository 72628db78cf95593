import { realpathSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { tryParse } from '../core/event/json.ts'
import { codeOf, TwotrackError } from '../errors.ts'
import { isWithin } from '../files/confine.ts'
import { diskError, makeFolder, replaceFile } from '../files/disk.ts'
import { personFolder } from '../files/own-folder.ts'
import { digestOf, type TrustRequest } from './trust.ts'

const entrySchema = z.object({
  /** The real path of the project: a copy elsewhere is asked about again. */
  project: z.string(),
  kind: z.string(),
  name: z.string(),
  digest: z.string(),
  since: z.string(),
})
const fileSchema = z.object({ version: z.literal(1), trusted: z.array(entrySchema) })
export type Trusted = z.infer<typeof entrySchema>

/** What a person trusts is remembered here: outside every project, readable and writable by its owner alone. */
export const trustFile = (env: Readonly<Record<string, string | undefined>>): string =>
  join(personFolder(env), 'trust.json')

/** What is trusted of a project. */
export async function trustedIn(file: string, project: string): Promise<Trusted[]> {
  const root = realpathSync(project)
  if (isInside(file, root)) return []
  return (await read(file)).filter((entry) => entry.project === root)
}

/** Remembers these for the project, in place of what was remembered under the same names. */
export async function remember(
  file: string,
  project: string,
  requests: readonly TrustRequest[],
): Promise<void> {
  const root = realpathSync(project)
  if (isInside(file, root))
    throw new TwotrackError(
      'untrusted',
      `${file} is inside the project, which could then trust itself. Set XDG_STATE_HOME to a folder elsewhere.`,
    )
  const since = new Date().toISOString()
  const added = requests.map((request) => {
    const { kind, name } = request
    return { project: root, kind, name, digest: digestOf(request), since }
  })
  const isNew = ({ project, kind, name }: Trusted) =>
    added.some((one) => one.project === project && one.kind === kind && one.name === name)
  await write(file, [...(await read(file)).filter((entry) => !isNew(entry)), ...added])
}

/** Forgets all that was trusted of the project; gives what that was. */
export async function forgetTrust(file: string, project: string): Promise<Trusted[]> {
  const root = realpathSync(project)
  const all = await read(file)
  const gone = all.filter((entry) => entry.project === root)
  if (gone.length > 0)
    await write(
      file,
      all.filter((entry) => !gone.includes(entry)),
    )
  return gone
}

async function read(file: string): Promise<Trusted[]> {
  let text: string
  try {
    const { mode, uid } = await stat(file)
    const others = (mode & 0o022) !== 0 || (process.getuid !== undefined && uid !== process.getuid())
    if (others)
      throw new TwotrackError(
        'untrusted',
        `${file} can be written by others, so it is not believed. Remove it, or make it yours alone (chmod 600).`,
      )
    text = await readFile(file, 'utf8')
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return []
    throw diskError('read', file, thrown)
  }
  const parsed = fileSchema.safeParse(tryParse(text))
  if (parsed.success) return parsed.data.trusted
  throw new TwotrackError(
    'damaged',
    `${file} is not what this version writes. Remove it; you are then asked again.`,
  )
}

async function write(file: string, trusted: readonly Trusted[]): Promise<void> {
  makeFolder(dirname(file))
  const text = `${JSON.stringify({ version: 1, trusted }, null, 2)}\n`
  await replaceFile(file, Buffer.from(text), true)
}

/** Also through links: the nearest folder that is there counts. */
function isInside(file: string, root: string): boolean {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    try {
      return isWithin(root, realpathSync(folder))
    } catch (thrown) {
      const isHidden = ['ENOENT', 'EACCES'].includes(codeOf(thrown) ?? '')
      if (!isHidden || dirname(folder) === folder) throw thrown
    }
  }
}
