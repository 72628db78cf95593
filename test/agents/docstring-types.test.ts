import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { textAt } from '../workspace/scratch.ts'
import { builtIn, call, folderWith } from './bench.ts'

const agent = await builtIn('docstring')

test('a docstring with which the project’s type checker reports something new is refused', async () => {
  const workspace = await folderWith({
    'a.js': 'export function twice(count) {\n  return count + count\n}\n',
    'b.js': "import { twice } from './a.js'\n\nexport const text = twice('ab').trim()\n",
    'tsconfig.json': '{ "compilerOptions": { "allowJs": true, "checkJs": true, "noImplicitAny": false } }\n',
  })
  await symlink(join(process.cwd(), 'node_modules'), join(workspace, 'node_modules'))
  const at = { workspace, node: 'a.js' }
  const write = (type: string) => {
    const docstring = `Join a thing with itself.\n\n@param {${type}} count - The thing.\n@returns {${type}} Twice as much.`
    return call(agent, 'write_docstring', { name: 'twice', docstring }, at)
  }
  await expect(write('number')).rejects.toThrow(/tsc [\d.]+ \(tsconfig\.json\) reports .* TS2345 .*\(b\.js\)/)
  expect(await textAt(workspace, 'a.js')).not.toContain('number')
  const written = await write('string')
  expect(written.result).toMatchObject({ typed: expect.stringMatching(/^tsc [\d.]+ \(tsconfig\.json\)$/) })
})

test('that there is no type checker, or none installed, is said', async () => {
  const text = 'def put(item):\n    return item\n'
  const docstring = 'Lay an item down.\n\nArgs:\n    item: What to lay down.\n\nReturns:\n    The item.'
  const typedIn = async (files: Record<string, string>) => {
    const workspace = await folderWith({ 'a.py': text, ...files })
    const args = { name: 'put', docstring }
    const { result } = await call(agent, 'write_docstring', args, { workspace, node: 'a.py' })
    return result
  }
  expect(await typedIn({})).toMatchObject({ typed: 'not type-checked: the project has nothing for it' })
  expect(await typedIn({ 'pyrightconfig.json': '{}' })).toMatchObject({
    typed: expect.stringMatching(
      /^not type-checked: .*pyright \(pyrightconfig\.json\), which is not installed/,
    ),
  })
})
