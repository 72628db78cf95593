import type { CodeNode } from '../../nodes/node.ts'
import type { NodeFile } from '../../nodes/node-file.ts'
import { givenParams } from '../signature.ts'

/** `:param x:`, `@param {type} x`, `@param [x]`. */
const TAGGED =
  /^[ \t]*(?::param(?:eter)?[ \t]+(?:\S+[ \t]+)?|@param[ \t]+(?:\{[^}\n]*\}[ \t]+)?\[?)\**([\w$]+)/gm
/** How Google and numpy head a paragraph of parameters. */
const HEAD = /^(?:Args|Arguments):[ \t]*\n|^Parameters[ \t]*\n-{3,}[ \t]*\n/
const ITEM = /^\**(\w+)[ \t]*(?:\([^\n]*?\))?[ \t]*:/

/** Parameters that a docstring describes and the code does not have, each told to whoever wrote it. */
export function inventedParams(text: string, node: CodeNode, { parsed }: NodeFile): string[] {
  // A class is documented with the parameters of what makes one.
  const maker = parsed.nodes.find(
    ({ parent, name }) => parent === node.key && (name === '__init__' || name === 'constructor'),
  )
  const given = givenParams(maker ?? node).map(({ name }) => name.replace(/^(?:\*{1,2}|\.{3})|\?$/g, ''))
  // What is taken apart (`{ a, b }`) has the names that it has.
  if (given.some((name) => !/^[\w$]+$/.test(name)) || (node.type === 'class' && !maker)) return []
  const sections = text.split(/\n[ \t]*\n/).filter((paragraph) => HEAD.test(paragraph))
  const items = sections.flatMap((section) => itemsIn(section.replace(HEAD, '')))
  const described = new Set([...[...text.matchAll(TAGGED)].map(([, name = '']) => name), ...items])
  const known = given.join(', ') || 'none'
  return [...described]
    .filter((name) => !given.includes(name))
    .map((name) => `It describes a parameter ${name}, and the code has no such one (it has ${known}).`)
}

/** The names that the least indented lines of a section begin with. */
function itemsIn(section: string): string[] {
  const lines = section.split('\n')
  const indentOf = (line: string) => line.length - line.trimStart().length
  const least = Math.min(...lines.map(indentOf))
  return lines.flatMap((line) => (indentOf(line) === least ? (ITEM.exec(line.trim())?.[1] ?? []) : []))
}
