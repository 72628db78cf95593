import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isWithin } from '../../files/confine.ts'

/** Which code a test run loaded, as the processes of the run themselves saw it. */
export interface LoadedCode {
  readonly reported: boolean
  /** Files of the workspace that were loaded, relative to it. */
  readonly loaded: ReadonlySet<string>
  /** Files that were loaded in place of the workspace's own. */
  readonly others: readonly { readonly path: string; readonly own: string }[]
}

export interface Canary {
  /** Leads to the workspace's code and makes each process report. */
  readonly env: Readonly<Record<string, string>>
  read(): Promise<LoadedCode>
  remove(): Promise<void>
}

interface CanaryPlace {
  readonly workspace: string
  readonly project?: string | undefined
  /** Absolute folders of the workspace that Python imports from. */
  readonly roots: readonly string[]
  readonly nodeOptions: string
}

const SOURCE = fileURLToPath(new URL('./canary', import.meta.url))

/** Prepares a run whose processes tell which files they import: Python by a sitecustomize, Node by a preloaded module. */
export async function canaryFor({ workspace, project, roots, nodeOptions }: CanaryPlace): Promise<Canary> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'twotrack-canary-')))
  const top = await realpath(workspace)
  const from = project === undefined ? null : await realpath(project)
  const own = roots.map((root) => join(top, root))
  await cp(SOURCE, folder, { recursive: true })
  await mkdir(join(folder, 'seen'))
  await writeFile(
    join(folder, 'where.json'),
    JSON.stringify({ workspace: top, project: from === top ? null : from, roots: own }),
  )
  const inherited = (process.env['PYTHONPATH'] ?? '').split(delimiter).filter((path) => path !== '')
  return {
    env: {
      PYTHONPATH: [folder, ...own, ...inherited].join(delimiter),
      PYTHONDONTWRITEBYTECODE: '1',
      NODE_OPTIONS: [nodeOptions, `--import=${pathToFileURL(join(folder, 'hook.mjs')).href}`]
        .join(' ')
        .trim(),
    },
    read: () => readSeen(join(folder, 'seen'), top),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function readSeen(folder: string, top: string): Promise<LoadedCode> {
  const files = await readdir(folder)
  const loaded = new Set<string>()
  const others = new Map<string, string>()
  for (const file of files)
    for (const line of (await readFile(join(folder, file), 'utf8')).split('\n')) {
      const [kind, path = '', own = ''] = line.split('\t')
      if (kind === 'own' && isWithin(top, path)) loaded.add(relative(top, path))
      if (kind === 'other') others.set(path, isWithin(top, own) ? relative(top, own) : own)
    }
  return {
    reported: files.length > 0,
    loaded,
    others: [...others].map(([path, own]) => ({ path, own })),
  }
}
