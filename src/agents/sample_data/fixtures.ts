import type { Json, JsonObject } from '../../event/json.ts'
import type { CodeNode } from '../../nodes/node.ts'
import { type NodeFile, nodeNamed } from '../../nodes/node-file.ts'
import { functionsOf, givenParams } from '../signature.ts'
import { valuesOfType } from './value-of-type.ts'

const CASES_MAX = 4

/** Arguments for one call of a function, by name. */
export interface FunctionFixtures {
  readonly name: string
  readonly cases: readonly JsonObject[]
  /** Parameters whose types say too little to make a value of. */
  readonly open: readonly string[]
}

/** Fixtures for the functions of a node, made from the declared types alone. */
export function fixturesFor(file: NodeFile, name?: string): FunctionFixtures[] {
  return functionsOf(file, nodeNamed(file, name))
    .filter((node) => !node.name.startsWith('_') && !node.name.startsWith('#'))
    .map(forFunction)
    .filter(({ cases, open }) => cases.length + open.length > 0)
}

function forFunction(node: CodeNode): FunctionFixtures {
  const params = givenParams(node)
    .filter(({ name }) => /^[A-Za-z_$][\w$]*\??$/.test(name))
    .map((param) => {
      const name = param.name.replace('?', '')
      return {
        name,
        values: valuesOfType({ type: param.type, name, language: node.language }),
        hasDefault: param.default !== null,
      }
    })
  const open = params
    .filter(({ values, hasDefault }) => values.length === 0 && !hasDefault)
    .map(({ name }) => name)
  const usable = params.filter(({ values }) => values.length > 0)
  // A call that lacks an argument is none.
  const most = open.length > 0 ? 0 : Math.max(0, ...usable.map(({ values }) => values.length))
  const count = Math.min(CASES_MAX, most)
  const cases = Array.from({ length: count }, (_, index) =>
    Object.fromEntries(
      usable.map(({ name, values }): [string, Json] => [name, values[index % values.length] ?? null]),
    ),
  )
  return { name: node.qualified_name, cases, open }
}

export const asJson = (fixtures: readonly FunctionFixtures[]): JsonObject =>
  Object.fromEntries(
    fixtures.filter(({ cases }) => cases.length > 0).map(({ name, cases }) => [name, [...cases]]),
  )
