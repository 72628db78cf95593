import { posix } from 'node:path'
import { type CodeGraph, isTestFile } from '../../nodes/edges.ts'
import { languageNameOf } from '../../nodes/source-path.ts'

const RELATED_MAX = 20

export interface Related {
  readonly path: string
  readonly reason: string
}

/**
 * Test files that belong to a file: itself if it is one, those named after it, those that import it, directly or through
 * other files. The nearest first.
 */
export function testsFor(code: CodeGraph, path: string): Related[] {
  if (isTestFile(path) && holdsCases(code, path)) return [{ path, reason: 'is the file itself' }]
  const chains = chainsTo(code, path)
  const isPython = languageNameOf(path) === 'python'
  return code
    .files()
    .filter((test) => (languageNameOf(test) === 'python') === isPython && isTestFile(test))
    .filter((test) => (chains.has(test) || isNamedAfter(test, path)) && holdsCases(code, test))
    .map((test) => ({ test, named: isNamedAfter(test, path), chain: chains.get(test) }))
    .toSorted(
      (one, other) =>
        Number(other.named) - Number(one.named) ||
        (one.chain?.length ?? 99) - (other.chain?.length ?? 99) ||
        (one.test < other.test ? -1 : 1),
    )
    .slice(0, RELATED_MAX)
    .map(({ test, chain }) => ({ path: test, reason: whyRelated(path, chain) }))
}

function whyRelated(path: string, chain: readonly string[] | undefined): string {
  if (chain === undefined) return `is named after ${path}`
  return chain.length === 0 ? `imports ${path}` : `imports ${path} through ${chain.join(' and ')}`
}

/** File → the files on the shortest way of imports from it to `path`. */
function chainsTo(code: CodeGraph, path: string): Map<string, string[]> {
  const chains = new Map<string, string[]>([[path, []]])
  for (const [at, chain] of chains)
    for (const importer of code.importersOf(at))
      if (!chains.has(importer)) chains.set(importer, at === path ? [] : [at, ...chain])
  return chains
}

const CASES = /^(?:test|it|describe|suite)(?:\.|$)/

/** Files in a test folder that only help the tests hold no cases. */
function holdsCases(code: CodeGraph, path: string): boolean {
  const isPython = languageNameOf(path) === 'python'
  const named = isPython ? /(?:^|\/)(?:test_[^/]*|[^/]*_tests?|tests)\.py$/ : /\.(?:test|spec)\.[a-z]+$/
  if (named.test(path)) return true
  const nodes = [...(code.file(path)?.named.values() ?? [])]
  return isPython
    ? nodes.some(({ type, signature }) => type === 'class' && signature.includes('TestCase'))
    : nodes.some(({ callees }) => callees.some((callee) => CASES.test(callee)))
}

function isNamedAfter(test: string, path: string): boolean {
  const stem = (file: string) => posix.basename(file).replace(/\.\w+$/, '')
  const own = stem(path)
  return [`test_${own}`, `${own}_test`, `${own}.test`, `${own}.spec`, own].includes(stem(test))
}
