import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CodeNode } from '../../src/nodes/node.ts'
import { parseNodes } from '../../src/nodes/parse.ts'

const FOLDER = join(import.meta.dirname, '../fixtures/nodes')

export const fixtureBytes = (name: string): Buffer => readFileSync(join(FOLDER, name))

export const fixtureNodes = async (name: string): Promise<Map<string, CodeNode>> => {
  const { nodes } = await parseNodes(name, fixtureBytes(name))
  return new Map(nodes.map((node) => [node.qualified_name, node]))
}

/** Qualified names with their types, in the order of the source. */
export const outlineOf = (nodes: Iterable<CodeNode>): string[] =>
  [...nodes].map((node) => `${node.type} ${node.qualified_name}`.trim())
