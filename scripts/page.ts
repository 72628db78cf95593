/** Makes the inspector's page of `src/inspect/page`: one script, one style sheet and what shows them, as small as they get. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const SOURCE = fileURLToPath(new URL('../src/inspect/page/', import.meta.url))

/** The files of the page by name. */
export async function buildPage(): Promise<ReadonlyMap<string, string>> {
  const bundle = await rolldown({
    input: `${SOURCE}main.tsx`,
    platform: 'browser',
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' }, target: 'es2024' },
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message)
    },
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true, comments: { legal: false } })
  await bundle.close()
  const [chunk, ...others] = output
  if (others.length > 0) throw new Error(`The page is one script, not ${output.length}.`)
  const texts = ['index.html', 'icon.svg'].map((name) => [name, readFileSync(SOURCE + name, 'utf8')] as const)
  const style = readFileSync(`${SOURCE}app.css`, 'utf8')
  return new Map([['app.js', chunk.code], ['app.css', smaller(style)], ...texts])
}

/** A style sheet without comments and indents. */
const smaller = (css: string): string =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s*\n\s*/g, '')
    .replace(/\s*([{};,])\s*/g, '$1')
