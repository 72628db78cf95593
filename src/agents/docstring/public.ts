import { isTestFile } from '../../nodes/edges.ts'
import type { CodeNode } from '../../nodes/node.ts'
import type { NodeFile } from '../../nodes/node-file.ts'

/** Public definitions without a docstring, in the order of the file. */
export function undocumentedIn(file: NodeFile): CodeNode[] {
  const { parsed, node } = file
  const whyLeftAlone = leftAloneIn(file)
  return parsed.nodes.filter(
    (candidate) =>
      candidate.docstring === null &&
      (node.type === 'file' || candidate.key === node.key || candidate.parent === node.key) &&
      whyLeftAlone(candidate) === undefined,
  )
}

/**
 * Why a definition of this file gets no docstring; undefined where it does. What the agent was started for is asked for. What
 * is said of the whole file is found out once: it may have very many definitions.
 */
export function leftAloneIn(file: NodeFile): (candidate: CodeNode) => string | undefined {
  const { path, node, parsed } = file
  const withName = Map.groupBy(parsed.nodes, nameAndParent)
  const isPublic = publicIn(file)
  return (candidate) => {
    const never = whyNever(path, candidate, withName.get(nameAndParent(candidate))?.length ?? 0)
    if (never !== undefined) return never
    if (node.type !== 'file' && candidate.key === node.key) return undefined
    if (candidate.type === 'file') return 'the file itself is documented only where that is asked for'
    if (isTestFile(path)) return 'tests say enough by their names'
    return isPublic(candidate) ? undefined : `${candidate.qualified_name} is private`
  }
}

const nameAndParent = ({ qualified_name, parent }: CodeNode): string =>
  `${withoutNumber(qualified_name)} ${parent}`

/** Places where a docstring is not possible, or would be read by nobody. */
function whyNever(path: string, candidate: CodeNode, ofThisName: number): string | undefined {
  const { language, signature, decorators, qualified_name: name } = candidate
  if (/\.(?:pyi|d\.[cm]?ts)$/.test(path)) return `${path} holds types only`
  if (candidate.type === 'file') return undefined
  if (decorators.some((one) => /\boverload\b/.test(one))) return `${name} is an overload stub`
  if (decorators.some((one) => /\boverride\b|\.(?:setter|deleter)$/.test(one)))
    return `${name} has the docstring of what it belongs to`
  if (language === 'python')
    return /^(?:async )?def |^class /.test(signature) ? undefined : `${name} is not a def or a class`
  return ofThisName > 1 ? `${withoutNumber(name)} has overloads` : undefined
}

const withoutNumber = (name: string): string => name.replace(/~\d+$/, '')

function publicIn({ parsed, text, bytes }: NodeFile): (candidate: CodeNode) => boolean {
  const byKey = new Map(parsed.nodes.map((node) => [node.key, node]))
  const named = parsed.nodes.some(({ language }) => language === 'python') ? listedIn(text) : exportedIn(text)
  const isPublic = (candidate: CodeNode): boolean => {
    const { name, language, signature, qualified_name, span } = candidate
    if (/^[_#]/.test(name) || /^(?:private|protected)\s/.test(signature) || name === 'constructor')
      return false
    const parent = byKey.get(candidate.parent ?? '')
    if (parent?.type === 'class') return isPublic(parent)
    if (parent !== undefined && parent.type !== 'file') return false
    if (named === undefined) return true
    if (language === 'python') return named.has(withoutNumber(name))
    const own = () => bytes.toString('utf8', span.start_byte, span.end_byte)
    return qualified_name === 'default' || named.has(name) || /^(?:@[^\n]*\n\s*)*export\b/.test(own())
  }
  return isPublic
}

/** Where a module says what is public, that is what is public. */
function listedIn(text: string): ReadonlySet<string> | undefined {
  const list = /^__all__\s*(?::[^=\n]+)?=\s*[[(]([^\])]{0,50000})/m.exec(text)?.[1]
  return list === undefined ? undefined : new Set(list.match(NAME))
}

/** What is exported beside its definition. */
function exportedIn(text: string): ReadonlySet<string> | undefined {
  if (!/^[ \t]*(?:export\b|module\.exports\b|exports\.)/m.test(text)) return undefined
  const lists = text.match(EXPORTS) ?? []
  return new Set(lists.flatMap((list) => list.match(NAME) ?? []))
}

const EXPORTS =
  /export\s+(?:default\s+[\w$]+|(?:type\s+)?\{[^}]*)|exports(?:\.\w+)?\s*=\s*(?:[\w$]+|\{[^}]*)/g
const NAME = /[\p{ID_Continue}$]+/gu
