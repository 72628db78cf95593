import type { Json } from '../../core/event/json.ts'
import type { CodeNode } from '../../nodes/node.ts'
import type { NodeFile } from '../../nodes/node-file.ts'
import { functionsOf, givenParams } from '../signature.ts'
import { fitsType } from './fits-type.ts'

export type Fixtures = Readonly<Record<string, readonly Readonly<Record<string, Json>>[]>>

/** The functions of a file that others call and that take arguments. */
export const callableIn = (file: NodeFile): CodeNode[] =>
  functionsOf(file, file.node).filter(
    (node) => !/^[_#]/.test(node.name) && (givenParams(node).length > 0 || file.node.key === node.key),
  )

/** What fixtures say that the code does not; each in a sentence for whoever made them. */
export function fixtureProblems(file: NodeFile, fixtures: Fixtures): string[] {
  const functions = new Map(callableIn(file).map((node) => [node.qualified_name, node]))
  const names = [...functions.keys()].join(', ') || 'none'
  return Object.entries(fixtures).flatMap(([name, cases]) => {
    const node = functions.get(name)
    if (node === undefined) return [`There is no function ${name} that takes arguments (there is ${names}).`]
    if (cases.length === 0) return [`${name} has no case.`]
    return cases.flatMap((one, at) =>
      caseProblems(node, one).map((problem) => `${name}, case ${at + 1}: ${problem}`),
    )
  })
}

function caseProblems(node: CodeNode, given: Readonly<Record<string, Json>>): string[] {
  const params = givenParams(node).map((param) => ({
    ...param,
    bare: param.name.replace(/^(?:\*{1,2}|\.{3})|\?$/g, ''),
  }))
  // What is taken apart has no name of its own, so any name may stand for it.
  const isOpen = params.some(({ name, bare }) => name.startsWith('**') || !/^[\w$]+$/.test(bare))
  const unknown = Object.keys(given).filter((name) => !isOpen && !params.some(({ bare }) => bare === name))
  const missing = params.filter(
    ({ name, bare, default: value }) =>
      value === null && /^[\w$]+$/.test(name) && !Object.hasOwn(given, bare) && !optionalIn(node, bare),
  )
  const wrong = params.filter(
    ({ name, bare, type }) =>
      name.replace(/\?$/, '') === bare &&
      Object.hasOwn(given, bare) &&
      !fitsType(type, given[bare] ?? null, node.language),
  )
  return [
    ...unknown.map((name) => `it has no parameter ${name}.`),
    ...missing.map(({ bare }) => `the argument ${bare} is missing.`),
    ...wrong.map(
      ({ bare, type }) => `${bare} is ${JSON.stringify(given[bare])?.slice(0, 60)}, and its type is ${type}.`,
    ),
  ]
}

const optionalIn = ({ signature }: CodeNode, name: string): boolean => signature.includes(`${name}?:`)
