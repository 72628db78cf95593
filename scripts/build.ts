/**
 * Makes `dist` of `src`. After the compiler, all that `import 'twotrack'` loads is bundled with its packages into one
 * file, `core.js`, and each of the bundled modules only names what it has in there: loading some 240 small files took longer
 * than all that they do. The figures are in docs/decisions/2026-11-16-packaging.md.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import manifest from '../package.json' with { type: 'json' }
import { buildPage } from './page.ts'

rmSync('dist', { recursive: true, force: true })
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
})
copyAssets()
await writePage()
await bundleCore()

/** Whatever `src` holds besides TypeScript stands at the same place in `dist`. */
function copyAssets(): void {
  for (const name of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    const file = join('src', name)
    if (file.startsWith(join('src', 'inspect', 'page'))) continue
    if (statSync(file).isFile() && !name.endsWith('.ts')) cpSync(file, join('dist', name))
  }
}

/** What the inspector serves. Its sources and the packages in it are needed no more. */
async function writePage(): Promise<void> {
  mkdirSync('dist/inspect/page', { recursive: true })
  for (const [name, text] of await buildPage()) writeFileSync(join('dist/inspect/page', name), text)
}

async function bundleCore(): Promise<void> {
  const dist = resolve('dist')
  const core = join(dist, 'core.js')
  const entry = join(dist, 'core-entry.js')
  const found = await bundled(join(dist, 'index.js'))
  // An older Node can't evaluate the bundle: what looks at its version stands by itself.
  const alone = join(dist, 'node-version.js')
  const modules = found.moduleIds
    .filter((id) => id.startsWith(dist) && id.endsWith('.js') && id !== alone)
    .sort()
  const names = await Promise.all(
    modules.map(async (file) => Object.keys(await import(pathToFileURL(file).href))),
  )
  const facade = (at: number, from: string, path: string, toBundle: boolean): string => {
    const pairs = (names[at] ?? []).map((name) =>
      toBundle ? `${name} as m${at}_${name}` : `m${at}_${name} as ${name}`,
    )
    const to = relative(dirname(from), path).replaceAll('\\', '/')
    return pairs.length === 0 ? 'export {};\n' : `export { ${pairs.join(', ')} } from './${to}';\n`
  }
  const exported = modules.map((file, at) => facade(at, entry, file, true)).join('')
  writeFileSync(entry, `import './supported-node.js';\n${exported}`)
  const { code } = await bundled(entry)
  if (code.includes('import.meta')) throw new Error('A module that asks for its own place cannot be bundled.')
  if (code.indexOf('needs Node') > code.indexOf('class '))
    throw new Error('The version of Node is to be looked at before all else is evaluated.')
  writeFileSync(core, code)
  rmSync(entry)
  for (const [at, file] of modules.entries()) writeFileSync(file, facade(at, file, core, false))
}

async function bundled(input: string) {
  const bundle = await rolldown({
    input,
    platform: 'node',
    // The detector of secrets is loaded by the first memory that is opened, not by the import.
    external: [/^node:/, /secrets\/secrets\.js$/, ...Object.keys(manifest.peerDependencies)],
  })
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  const [chunk, ...others] = output
  if (others.length > 0) throw new Error(`The core is one file, not ${output.length}.`)
  return chunk
}
