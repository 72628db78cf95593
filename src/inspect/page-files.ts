import { readFile } from 'node:fs/promises'

export interface PageFile {
  readonly type: string
  readonly bytes: Uint8Array
}

const TYPES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'app.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
}

/** The page by its addresses: as the package brings it; in a checkout it is made of its sources. */
export async function pageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const texts = await pageTexts()
  const files = new Map<string, PageFile>()
  for (const [name, type] of Object.entries(TYPES))
    files.set(name === 'index.html' ? '/' : `/${name}`, { type, bytes: Buffer.from(texts.get(name) ?? '') })
  return files
}

/** The same as text, by name. */
export async function pageTexts(): Promise<ReadonlyMap<string, string>> {
  if (import.meta.url.endsWith('.ts')) return built()
  const texts = new Map<string, string>()
  for (const name of Object.keys(TYPES))
    texts.set(name, await readFile(new URL(`./page/${name}`, import.meta.url), 'utf8'))
  return texts
}

let making: Promise<ReadonlyMap<string, string>> | undefined

/** By a script of the checkout that no package holds. */
function built(): Promise<ReadonlyMap<string, string>> {
  making ??= import(new URL('../../scripts/page.ts', import.meta.url).href).then(
    ({ buildPage }: { buildPage: () => Promise<ReadonlyMap<string, string>> }) => buildPage(),
  )
  return making
}
