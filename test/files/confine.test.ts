import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TwotrackError } from '../../src/errors.ts'
import { inside, isWithin } from '../../src/files/confine.ts'
import { readInside, removeInside, writeInside } from '../../src/files/files.ts'
import { hasShared, scratch, shared } from '../workspace/scratch.ts'

async function jail(): Promise<{ outer: string; root: string }> {
  const outer = await scratch()
  const root = join(outer, 'a/b/c/root')
  await mkdir(join(root, 'src'), { recursive: true })
  await writeFile(join(outer, 'secret'), 'secret')
  return { outer, root }
}

const refused = { code: 'outside_workspace' }

describe('a path stays inside', () => {
  it.each([
    '../x',
    'src/../../x',
    '..',
    '/etc/passwd',
    '//etc/passwd',
    'C:\\x',
    'c:/x',
    'C:x',
    '\\\\server\\share',
    '..\\x',
    'src\\..\\..\\x',
    'a\0b',
    '.git/hooks/post-commit',
    'sub/.GIT/config',
    '.git./config',
    '.git /config',
    '.git::$INDEX_ALLOCATION/config',
    'GIT~1/config',
    '.g\u200cit/config',
    '.ｇit/config',
    '.agentfs/traces/x',
    '.AgentFS/x',
  ])('refuses %j', async (path) => {
    const { root } = await jail()
    await expect(inside(root, path)).rejects.toMatchObject(refused)
    await expect(writeInside(root, path, 'x')).rejects.toMatchObject(refused)
    await expect(removeInside(root, path)).rejects.toMatchObject(refused)
  })

  it('takes names that only look dangerous', async () => {
    const { root } = await jail()
    for (const path of [
      '...',
      '..a',
      'a..',
      '~',
      '%2e%2e%2fx',
      '.gitignore',
      '.github/x',
      'a b',
      'é/ü.txt',
      '-rf',
    ]) {
      await writeInside(root, path, path)
      expect((await readInside(root, path)).toString()).toBe(path)
    }
  })

  it('refuses links that lead out, wherever they are on the way', async () => {
    const { outer, root } = await jail()
    await symlink(outer, join(root, 'up'))
    await symlink('../../../../secret', join(root, 'src/file'))
    await symlink('nowhere', join(root, 'dangling'))
    await symlink('circle', join(root, 'circle'))
    for (const path of ['up/secret', 'up', 'src/file', 'up/new', 'dangling', 'circle', 'circle/x']) {
      await expect(readInside(root, path), path).rejects.toMatchObject(refused)
      await expect(writeInside(root, path, 'x'), path).rejects.toMatchObject(refused)
    }
    // The link itself can go.
    await removeInside(root, 'up')
    expect((await readdir(outer)).sort()).toEqual(['a', 'secret'])
    expect(await readFile(join(outer, 'secret'), 'utf8')).toBe('secret')
  })

  it('follows links that stay inside', async () => {
    const { root } = await jail()
    await writeInside(root, 'src/a', 'a')
    await symlink('src', join(root, 'link'))
    await writeInside(root, 'link/a', 'b')
    expect((await readInside(root, 'src/a')).toString()).toBe('b')
  })

  it('whatever the path is made of', async () => {
    const { root } = await jail()
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'src',
      'a',
      '\\',
      '/',
      '~',
      '.git',
      'C:',
      '%2e%2e',
      '\0',
      ' ',
      '…',
    )
    const path = fc.oneof(
      fc.array(part, { maxLength: 8 }).map((parts) => parts.join('/')),
      fc.string(),
    )
    await fc.assert(
      fc.asyncProperty(path, async (candidate) => {
        const found = await inside(root, candidate).catch((thrown: unknown) => thrown)
        if (typeof found === 'string') expect(isWithin(root, found)).toBe(true)
        else expect(found).toBeInstanceOf(TwotrackError)
      }),
      { seed: 20261115, numRuns: 300 },
    )
  })

  it.skipIf(!hasShared)(
    'for every path of the published attack lists (needs the shared corpora)',
    async () => {
      const { outer, root } = await jail()
      const lists = ['PATT-directory_traversal.txt', 'SecLists-LFI-Jhaddix.txt']
      const paths = (
        await Promise.all(lists.map((name) => readFile(join(shared, 'corpora/paths', name), 'utf8')))
      ).flatMap((text) => text.split('\n').filter((line) => line !== ''))
      expect(paths.length).toBeGreaterThan(1_000)
      for (const path of [...paths, ...paths.map(percentDecoded)]) {
        const thrown = await writeInside(root, path, 'pwned').catch((error: unknown) => error)
        if (thrown) expect(thrown, path).toBeInstanceOf(TwotrackError)
      }
      expect((await readdir(outer)).sort()).toEqual(['a', 'secret'])
      expect(await readdir(join(outer, 'a/b/c'))).toEqual(['root'])
      expect(await readdir(join(outer, 'a/b'))).toEqual(['c'])
      expect(await readFile('/etc/passwd', 'utf8')).not.toContain('pwned')
    },
  )
})

function percentDecoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
