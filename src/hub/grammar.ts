/** Grammars are loaded when first needed and stay for the life of the process: a parser and a table each. */

import { createRequire } from 'node:module'
import { Language as Grammar, Parser } from 'web-tree-sitter'
import { messageOf, TwotrackError } from '../errors.ts'
import { type RoleTable, roleTable } from './capture.ts'
import type { Language } from './language.ts'
import { python } from './python.ts'
import { javascript, tsx, typescript } from './script.ts'

const { resolve } = createRequire(import.meta.url)

const BY_EXTENSION: Readonly<Record<string, Language>> = {
  py: python,
  pyi: python,
  ts: typescript,
  mts: typescript,
  cts: typescript,
  tsx,
  js: javascript,
  jsx: javascript,
  mjs: javascript,
  cjs: javascript,
}

/** The language of a file by its name, null when it is none that has nodes. */
export const languageOf = (path: string): Language | null => {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot < 1 ? null : (BY_EXTENSION[name.slice(dot + 1)] ?? null)
}

export interface LoadedGrammar {
  parser: Parser
  roles: RoleTable
}

let initialised: Promise<void> | null = null
const loaded = new Map<string, Promise<LoadedGrammar>>()

const load = async (language: Language): Promise<LoadedGrammar> => {
  initialised ??= Parser.init()
  await initialised
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
    const message = `The grammar ${language.wasm} can't be loaded (${messageOf(cause)}). Install the dependencies again.`
    throw new TwotrackError('io', message, { cause })
  })
  loaded.set(language.name, loading)
  return loading
}
