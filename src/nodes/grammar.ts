/** Grammars are loaded when first needed and stay for the life of the process: a parser and a table each. */

import { createRequire } from 'node:module'
import type { Parser } from 'web-tree-sitter'
import { messageOf, missingPackage, TwotrackError } from '../errors.ts'
import { type RoleTable, roleTable } from './capture.ts'
import type { Language } from './language.ts'
import type { LanguageName } from './node.ts'
import { python } from './python.ts'
import { javascript, tsx, typescript } from './script.ts'
import { languageNameOf } from './source-path.ts'

const { resolve } = createRequire(import.meta.url)

const LANGUAGES: Readonly<Record<LanguageName, Language>> = { python, typescript, tsx, javascript }

/** The language of a file by its name, null when it is none that has nodes. */
export const languageOf = (path: string): Language | null => {
  const name = languageNameOf(path)
  return name === null ? null : LANGUAGES[name]
}

export interface LoadedGrammar {
  parser: Parser
  roles: RoleTable
}

let initialised: Promise<typeof import('web-tree-sitter')> | null = null
const loaded = new Map<string, Promise<LoadedGrammar>>()

/** The parser is loaded when the first file is parsed: who only asks a running hub never needs it. */
const initialise = async () => {
  const treeSitter = await import('web-tree-sitter')
  await treeSitter.Parser.init()
  return treeSitter
}

const load = async (language: Language): Promise<LoadedGrammar> => {
  initialised ??= initialise().catch((thrown: unknown) => {
    initialised = null
    throw thrown
  })
  const { Parser, Language: Grammar } = await initialised
  const grammar = await Grammar.load(resolve(`@vscode/tree-sitter-wasm/wasm/${language.wasm}`))
  const parser = new Parser()
  parser.setLanguage(grammar)
  return { parser, roles: roleTable(grammar, language.interest) }
}

export const loadGrammar = (language: Language): Promise<LoadedGrammar> => {
  const known = loaded.get(language.name)
  if (known !== undefined) return known
  const loading = load(language).catch((cause: unknown) => {
    loaded.delete(language.name)
    const known = missingPackage(cause, 'Parsing code')
    if (known instanceof TwotrackError) throw known
    const message = `The grammar ${language.wasm} can't be loaded (${messageOf(cause)}). Install the dependencies again.`
    throw new TwotrackError('io', message, { cause })
  })
  loaded.set(language.name, loading)
  return loading
}
