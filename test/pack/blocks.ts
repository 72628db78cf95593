import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from './consumer.ts'

/** A page of the documents that holds code, as files: each block is one, as it is printed. */
export interface Page {
  readonly name: string
  /** Blocks of TypeScript: `pods.ts` where the block says so (```ts pods.ts), else by number. */
  readonly programs: readonly string[]
  /** What the programs say that they print: `// → text`. */
  readonly prints: readonly string[]
  /** Whether it is about a framework, which the programs then import. */
  readonly usesFramework: boolean
}

/** Writes the code of README.md and docs/*.md into a folder for each page. */
export function writePages(folder: string): Page[] {
  const pages = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => join('docs', name))]
  return pages
    .filter((name) => name.endsWith('.md'))
    .map((name) => writePage(name, join(folder, name.replace(/\W+/g, '-'))))
    .filter(({ programs }) => programs.length > 0)
}

const FRAMEWORK = /^import .* from '(?:ai|@openai\/agents|langchain|@langchain\/|@modelcontextprotocol\/)/m

function writePage(name: string, folder: string): Page {
  const programs: string[] = []
  const prints: string[] = []
  for (const { language, file, code } of blocksOf(readFileSync(join(ROOT, name), 'utf8'))) {
    const isProgram = language === 'ts'
    if (!isProgram && file === '') continue
    const path = join(folder, file === '' ? `block-${programs.length + 1}.ts` : file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, code)
    if (!isProgram) continue
    programs.push(path)
    prints.push(...[...code.matchAll(/\/\/ → (.+)$/gm)].map(([, printed = '']) => printed))
  }
  return {
    name,
    programs,
    prints,
    usesFramework: programs.some((file) => FRAMEWORK.test(readFileSync(file, 'utf8'))),
  }
}

function blocksOf(text: string): { language: string; file: string; code: string }[] {
  return [...text.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', file = '', code = '']) => ({ language, file, code }),
  )
}
