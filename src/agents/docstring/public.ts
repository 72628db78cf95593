import { isTestFile } from '../../nodes/edges.ts'
import type { CodeNode } from '../../nodes/node.ts'
import type { NodeFile } from '../../nodes/node-file.ts'

/** Public definitions without a docstring, in the order of the file. */
export function undocumentedIn(file: NodeFile): CodeNode[] {
  const { parsed, node } = file
  return parsed.nodes.filter(
    (candidate) =>
      candidate.docstring === null &&
      (node.type === 'file' || candidate.key === node.key || candidate.parent === node.key) &&
      whyLeftAlone(file, candidate) === undefined,
  )
}

/** Why a definition gets no docstring; undefined where it does. What the agent was started for is asked for. */
export function whyLeftAlone(file: NodeFile, candidate: CodeNode): string | undefined {
  const { path, node } = file
  const never = whyNever(file, candidate)
  if (never !== undefined) return never
  if (node.type !== 'file' && candidate.key === node.key) return undefined
  if (candidate.type === 'file') return 'the file itself is documented only where that is asked for'
  if (isTestFile(path)) return 'tests say enough by their names'
  return isPublic(file, candidate) ? undefined : `${candidate.qualified_name} is private`
}

/** Places where a docstring is not possible, or would be read by nobody. */
function whyNever({ path, parsed }: NodeFile, candidate: CodeNode): string | undefined {
  const { language, signature, decorators, qualified_name: name } = candidate
  if (/\.(?:pyi|d\.[cm]?ts)$/.test(path)) return `${path} holds types only`
  if (candidate.type === 'file') return undefined
  if (decorators.some((one) => /\boverload\b/.test(one))) return `${name} is an overload stub`
  if (decorators.some((one) => /\boverride\b|\.(?:setter|deleter)$/.test(one)))
    return `${name} has the docstring of what it belongs to`
  if (language === 'python')
    return /^(?:async )?def |^class /.test(signature) ? undefined : `${name} is not a def or a class`
  const base = withoutNumber(name)
  const same = parsed.nodes.filter(
    (one) => one.parent === candidate.parent && withoutNumber(one.qualified_name) === base,
  )
  return same.length > 1 ? `${base} has overloads` : undefined
}

const withoutNumber = (name: string): string => name.replace(/~\d+$/, '')

function isPublic(file: NodeFile, candidate: CodeNode): boolean {
  const { name, language, signature } = candidate
  if (/^[_#]/.test(name) || /^(?:private|protected)\s/.test(signature) || name === 'constructor') return false
  const parent = file.parsed.nodes.find(({ key }) => key === candidate.parent)
  if (parent?.type === 'class') return isPublic(file, parent)
  if (parent !== undefined && parent.type !== 'file') return false
  return language === 'python' ? isListed(file, withoutNumber(name)) : isExported(file, candidate)
}

/** Where a module says what is public, that is what is public. */
function isListed({ text }: NodeFile, name: string): boolean {
  const list = /^__all__\s*(?::[^=\n]+)?=\s*[[(]([^\])]{0,50000})[\])]/m.exec(text)?.[1]
  return list === undefined || new RegExp(`["']${name}["']`).test(list)
}

function isExported({ text, bytes }: NodeFile, { name, span, qualified_name }: CodeNode): boolean {
  if (qualified_name === 'default' || !/^[ \t]*(?:export\b|module\.exports\b|exports\.)/m.test(text))
    return true
  const own = bytes.toString('utf8', span.start_byte, span.end_byte)
  if (/^(?:@[^\n]*\n\s*)*export\b/.test(own)) return true
  const escaped = name.replace(/[$]/g, '\\$')
  return new RegExp(
    `export\\s+(?:default\\s+${escaped}\\b|(?:type\\s+)?\\{[^}]*\\b${escaped}\\b)|exports(?:\\.\\w+)?\\s*=\\s*(?:${escaped}\\b|\\{[^}]*\\b${escaped}\\b)`,
  ).test(text)
}
