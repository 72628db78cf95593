import { spawnSync } from 'node:child_process'
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createWorkspace } from '../../src/workspace/workspace.ts'
import { put, scratch } from '../workspace/scratch.ts'
import { builtIn, call } from './bench.ts'

/** Tests run the code of the workspace, whatever is installed. */

const agent = await builtIn('test')

const PROJECT = {
  '.gitignore': '.venv/\n.agentfs/\n*.egg-info/\n',
  'src/shop/__init__.py': '',
  'src/shop/price.py': 'def double(x):\n    return x + x\n',
  'tests/test_price.py':
    'import unittest\n\nfrom shop.price import double\n\n\nclass Price(unittest.TestCase):\n    def test_double(self):\n        self.assertEqual(double(2), 4)\n',
  'setup.py':
    'from setuptools import find_packages, setup\n\nsetup(name="shop", version="1", package_dir={"": "src"}, packages=find_packages("src"))\n',
}

const FINDER = `import importlib.util, sys

class Finder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name == "shop":
            return importlib.util.spec_from_file_location("shop", "SRC/shop/__init__.py", submodule_search_locations=["SRC/shop"])
`

/** How a package can be installed so that imports lead to the project, or to a copy of it. */
const INSTALLS: Record<string, (project: string, site: string) => Promise<string | undefined>> = {
  'by setuptools, editable': async (project) => {
    const python = join(project, '.venv/bin/python')
    const done = spawnSync(python, ['setup.py', '-q', 'develop', '--no-deps'], {
      cwd: project,
      encoding: 'utf8',
    })
    return done.status === 0
      ? undefined
      : `setuptools can't install: ${done.stderr.trim().split('\n').at(-1)}`
  },
  'as a path in a .pth file': async (project, site) => {
    await writeFile(join(site, 'shop.pth'), `${project}/src\n`)
    return undefined
  },
  'by a finder behind the others': async (project, site) => {
    await writeFile(join(site, 'shop_finder.py'), FINDER.replaceAll('SRC', `${project}/src`))
    await writeFile(
      join(site, 'shop.pth'),
      'import shop_finder, sys; sys.meta_path.append(shop_finder.Finder)\n',
    )
    return undefined
  },
  'by a finder before the others': async (project, site) => {
    await writeFile(join(site, 'shop_finder.py'), FINDER.replaceAll('SRC', `${project}/src`))
    await writeFile(
      join(site, 'shop.pth'),
      'import shop_finder, sys; sys.meta_path.insert(0, shop_finder.Finder)\n',
    )
    return undefined
  },
  'as a copy': async (_, site) => {
    await put(site, { 'shop/__init__.py': '', 'shop/price.py': PROJECT['src/shop/price.py'] })
    return undefined
  },
}

async function installed(how: string, files: Record<string, string> = PROJECT) {
  const project = join(await scratch(), 'project')
  await mkdir(project)
  await put(project, files)
  const made = spawnSync('python3', ['-m', 'venv', '--system-site-packages', '--without-pip', '.venv'], {
    cwd: project,
  })
  if (made.status !== 0) return { missing: `python3 -m venv does not work here: ${made.stderr}` }
  const lib = join(project, '.venv/lib')
  const site = join(lib, (await readdir(lib))[0] ?? '', 'site-packages')
  const missing = await INSTALLS[how]?.(project, site)
  if (missing !== undefined) return { missing }
  const imports = spawnSync(join(project, '.venv/bin/python'), ['-c', 'import shop.price'], { cwd: '/' })
  expect(imports.status, 'the package is installed').toBe(0)
  const workspace = await createWorkspace({
    project,
    folder: join(project, '.agentfs'),
    id: 'a',
    link: ['.venv'],
  })
  return { project, workspace }
}

test.each(Object.keys(INSTALLS))('a package that is installed %s is not what is tested', async (how) => {
  const { project, workspace, missing } = await installed(how)
  if (missing !== undefined) return console.info(`Not tried: ${missing}`)
  const at = { workspace: workspace.root, project, node: 'src/shop/price.py' }
  expect(await call(agent, 'run_tests', {}, at)).toMatchObject({ outcome: 'success', result: { passed: 1 } })
  await workspace.write('src/shop/price.py', 'def double(x):\n    return x + x + 1\n')
  expect(await call(agent, 'run_tests', {}, at)).toMatchObject({
    outcome: 'partial',
    knowledge_delta: {
      tests_passed: 0,
      tests_failed: 1,
      test_failures: ['tests/test_price.py:8 test_double'],
      tests_why: ['tests/test_price.py imports src/shop/price.py'],
    },
  })
  await workspace.write('src/shop/price.py', 'def double(:\n')
  expect((await call(agent, 'run_tests', {}, at)).knowledge_delta['tests_errors']).toBe(1)
})

test('where the workspace can not be made the one that is imported, there is no result', async () => {
  const { project, workspace, missing } = await installed('as a copy', {
    ...PROJECT,
    // A test that takes care itself of what it imports.
    'tests/test_price.py': `import os, sys
import unittest
sys.meta_path[:] = sys.meta_path[1:]
sys.path[:] = [path for path in sys.path if path and not path.startswith(os.getcwd())]
from shop.price import double
class Price(unittest.TestCase):
    def test_double(self):
        self.assertEqual(double(2), 4)
`,
  })
  if (missing !== undefined) return console.info(`Not tried: ${missing}`)
  await workspace.write('src/shop/price.py', 'def double(x):\n    return 0\n')
  const ran = await call(
    agent,
    'run_tests',
    {},
    { workspace: workspace.root, project, node: 'src/shop/price.py' },
  )
  expect(ran).toMatchObject({ outcome: 'error', supersedes: expect.arrayContaining(['tests_passed']) })
  expect(ran.error).toMatch(
    /^No result, because unittest loaded other code: .*site-packages\/shop\/\w+\.py and 1 more, in place of src\/shop\/\w+\.py of the workspace/,
  )
})

test('packages of one project that import each other are those of the workspace', async () => {
  const project = join(await scratch(), 'project')
  await put(project, {
    'package.json': '{ "type": "module", "workspaces": ["packages/*"] }',
    'packages/core/package.json': '{ "name": "@shop/core", "type": "module", "exports": "./src/index.js" }',
    'packages/core/src/index.js': 'export const double = (x) => x + x\n',
    'packages/app/package.json': '{ "name": "app", "type": "module", "scripts": { "test": "node --test" } }',
    'packages/app/app.test.js':
      "import test from 'node:test'\nimport assert from 'node:assert'\nimport { double } from '@shop/core'\ntest('doubles', () => assert.equal(double(2), 4))\n",
  })
  await mkdir(join(project, 'node_modules/@shop'), { recursive: true })
  await symlink('../../packages/core', join(project, 'node_modules/@shop/core'))
  const folder = join(project, '.agentfs')
  const linked = await createWorkspace({ project, folder, id: 'linked', link: ['node_modules'] })
  const node = 'packages/core/src/index.js'
  const broken = 'export const double = () => 0\n'
  await linked.write(node, broken)
  expect(await call(agent, 'run_tests', {}, { workspace: linked.root, project, node })).toMatchObject({
    outcome: 'partial',
    knowledge_delta: {
      tests_failed: 1,
      test_failures: ['packages/app/app.test.js:4 doubles'],
      tests_why: ['packages/app/app.test.js imports packages/core/src/index.js'],
    },
  })
  // Without links of its own the workspace finds the packages of the project around it.
  const bare = await createWorkspace({ project, folder, id: 'bare' })
  await bare.write(node, broken)
  expect((await call(agent, 'run_tests', {}, { workspace: bare.root, project, node })).error).toMatch(
    /^No result, because node:test loaded other code: .*\/project\/packages\/core\/src\/index\.js, in place of packages\/core\/src\/index\.js of the workspace/,
  )
})
