import type { CodeNode } from '../../nodes/node.ts'
import { givenParams } from '../signature.ts'
import type { BodyFacts } from './definition.ts'
import { sectionsOf } from './sections.ts'
import { type DocStyle, styleIn } from './style.ts'

/** Built-in types whose names mean the same wherever they are written. */
const PLAIN_TYPES = new Set(['str', 'int', 'float', 'bool', 'bytes', 'list', 'dict', 'set', 'tuple', 'None'])
const SMALL_WORDS = new Set('a an the this that of to for is are and function method class'.split(' '))

/** What a docstring says that the code or the project does not; each in a sentence for whoever wrote it. */
export function disagreements(text: string, node: CodeNode, facts: BodyFacts, style: DocStyle): string[] {
  const written = styleIn(text)
  if (written !== undefined && written !== style)
    return [`It is written in ${written} style, and this project's style is ${style}.`]
  const said = sectionsOf(text, style)
  return [
    ...nothingSaid(text, node),
    ...paramProblems(said.params, node),
    ...raiseProblems(said.raises, facts),
    ...(said.yields && !facts.yields ? ['It describes what is yielded, and the code yields nothing.'] : []),
    ...(said.returns && !facts.returns && !facts.yields && facts.hasBody
      ? ['It describes a return value, and the code returns none.']
      : []),
  ]
}

/** The name once more in words is no docstring. */
function nothingSaid(text: string, { name }: CodeNode): string[] {
  const words = (one: string): string[] =>
    one
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((word) => word !== '' && !SMALL_WORDS.has(word))
      .map((word) => word.replace(/s$/, ''))
  const own = new Set(words(name))
  const [first = ''] = text.split('\n')
  return words(first).every((word) => own.has(word))
    ? [`Its first line only repeats the name ${name}; say what it does for its caller.`]
    : []
}

function paramProblems(params: readonly { name: string; type: string | null }[], node: CodeNode): string[] {
  const given = givenParams(node).map((param) => ({
    ...param,
    name: param.name.replace(/^(?:\*{1,2}|\.{3})|\?$/g, ''),
  }))
  const isPattern = (name: string) => !/^[\w$]+$/.test(name)
  const open = given.some(({ name }) => isPattern(name))
  const named = params.filter(({ name }) => !name.includes('.'))
  const unknown = named.filter(({ name }) => !open && !given.some((param) => param.name === name))
  const wanted = given.filter(({ name }) => !isPattern(name) && !name.startsWith('_'))
  const missing =
    named.length === 0 ? [] : wanted.filter(({ name }) => !named.some((param) => param.name === name))
  const known = given.map(({ name }) => name).join(', ') || 'none'
  const twice = named.filter(({ name }, at) => named.findIndex((other) => other.name === name) !== at)
  return [
    ...unknown.map(
      ({ name }) => `It describes a parameter ${name}, and the code has no such one (it has ${known}).`,
    ),
    ...missing.map(({ name }) => `It describes parameters and leaves out ${name}.`),
    ...twice.map(({ name }) => `It describes ${name} twice.`),
    ...named.flatMap(({ name, type }) =>
      typeProblem(name, type, given.find((param) => param.name === name)?.type),
    ),
  ]
}

function typeProblem(name: string, said: string | null, declared: string | null | undefined): string[] {
  const type = said?.replace(/,\s*(?:optional|default.*)$/, '').trim()
  if (type === undefined || !declared || !PLAIN_TYPES.has(type) || !PLAIN_TYPES.has(declared)) return []
  return type === declared ? [] : [`It says that ${name} is ${type}, and the code says ${declared}.`]
}

function raiseProblems(said: readonly string[], { raises, calledRaises }: BodyFacts): string[] {
  const last = (name: string) => name.split('.').at(-1)
  const raised = raises.map(({ name }) => name)
  const known = [...raised, ...calledRaises].map(last)
  const missing = said.length === 0 ? [] : raised.filter((name) => !said.map(last).includes(last(name)))
  return [
    ...said
      .filter((name) => !known.includes(last(name)))
      .map((name) => `It says that ${name} is raised, and the code does not raise it.`),
    ...missing.map((name) => `It describes errors and leaves out ${name}.`),
  ]
}
