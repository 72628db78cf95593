import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { IgnoreRules } from '../../src/files/ignore.ts'
import { walk } from '../../src/files/walk.ts'
import { findFiles } from '../../src/nodes/find.ts'
import { searchFiles } from '../../src/tool/search.ts'
import { createWorkspace } from '../../src/workspace/workspace.ts'
import { scratch } from '../workspace/scratch.ts'

async function repository(files: Readonly<Record<string, string>>): Promise<string> {
  const top = await scratch()
  await mkdir(join(top, '.git', 'info'), { recursive: true })
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(top, path)), { recursive: true })
    await writeFile(join(top, path), text)
  }
  return top
}

const files = {
  '.gitignore': 'secret.ts\n/packages/a/anchored.ts\n',
  '.git/info/exclude': 'mine.ts\n',
  'packages/a/a.ts': '',
  'packages/a/secret.ts': '',
  'packages/a/anchored.ts': '',
  'packages/a/mine.ts': '',
  'packages/a/Secret.ts': '',
  'packages/a/.tox/x.ts': '',
  'packages/a/sub/.gitignore': '!secret.ts\n',
  'packages/a/sub/secret.ts': '',
}
const belonging = ['Secret.ts', 'a.ts', 'sub/secret.ts']
const sources = (paths: readonly string[]) => paths.filter((path) => path.endsWith('.ts'))

describe('what belongs to a project in the folder of a repository', () => {
  it('is the same for a workspace, for the search of nodes and for the tools', async () => {
    const project = join(await repository(files), 'packages', 'a')
    const folder = join(project, '.agentfs')
    await mkdir(folder)
    const workspace = await createWorkspace({ project, folder, id: 'x' })
    expect(sources(await workspace.files())).toEqual(belonging)
    expect((await findFiles(project, ['.'])).files.map(({ path }) => path)).toEqual(belonging)
    expect((await searchFiles(project, '*.ts')).paths).toEqual(belonging)
    // A workspace is a folder that is ignored itself: what counts is what is inside.
    expect((await searchFiles(workspace.root, '*.ts')).paths).toEqual(belonging)
  })

  it('can be told again from the rules that were read, without the files', async () => {
    const project = join(await repository(files), 'packages', 'a')
    const read = IgnoreRules.of(project)
    await walk(project, read)
    const again = IgnoreRules.from(read.files)
    const { found } = await walk(project, again)
    expect(sources(found.map(({ path }) => path))).toEqual(belonging)
  })
})
