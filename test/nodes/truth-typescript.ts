import { readFileSync } from 'node:fs'
import ts from 'typescript-5'
import { parseNodes } from '../../src/nodes/parse.ts'
import { cutText } from '../../src/nodes/syntax.ts'
import { type Comparison, compare, type Definition, ourDefinitions, paramText, squeeze } from './truth.ts'

/** What names are qualified with, whether members here are nodes, and the statement that a definition stands for. */
interface Place {
  qualifier: string
  members: boolean
  statement: ts.Node | null
}

const unwrap = (node: ts.Expression): ts.Expression =>
  ts.isParenthesizedExpression(node) ||
  ts.isAsExpression(node) ||
  ts.isSatisfiesExpression(node) ||
  ts.isNonNullExpression(node)
    ? unwrap(node.expression)
    : node

const firstLine = (text: string): string => (text.trim().split('\n', 1)[0] ?? '').trim()

const docOf = (node: ts.Node, file: ts.SourceFile): string | null => {
  const doc = ts
    .getJSDocCommentsAndTags(node)
    .filter((it) => ts.isJSDoc(it) && it.parent === node)
    .at(-1)
  if (doc === undefined || !ts.isJSDoc(doc)) return null
  return firstLine(
    doc
      .getText(file)
      .slice(3, -2)
      .replace(/^[ \t]*\*(?!\/)/gm, ''),
  )
}

const nameText = (name: ts.Node, file: ts.SourceFile): string =>
  ts.isStringLiteral(name) && /^[\w$-]+$/.test(name.text)
    ? name.text
    : cutText(name.getText(file).replace(/\s+/g, ' '), 120)

const assignedNames = (left: ts.Expression, file: ts.SourceFile): string[] | null => {
  let at = left
  while (ts.isPropertyAccessExpression(at) || ts.isParenthesizedExpression(at) || ts.isNonNullExpression(at))
    at = at.expression
  if (!ts.isIdentifier(at) && at.kind !== ts.SyntaxKind.ThisKeyword) return null
  const parts = left
    .getText(file)
    .replace(/[\s!?()]/g, '')
    .split('.')
    .filter((part) => part !== 'prototype')
  if (parts[0] === 'module' && parts[1] === 'exports') parts.splice(0, 2)
  else if (parts[0] === 'exports' || parts[0] === 'this') parts.shift()
  return parts.length === 0 ? ['module.exports'] : parts
}

export const typescriptDefinitions = (path: string, source: string): Definition[] | null => {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true)
  const problems: unknown = Reflect.get(file, 'parseDiagnostics')
  if (Array.isArray(problems) && problems.length > 0) return null
  const found: Definition[] = []
  const counts = new Map<string, number>()
  const printer = ts.createPrinter({ removeComments: true })
  const print = (node: ts.Node) => printer.printNode(ts.EmitHint.Unspecified, node, file)
  const lineOf = (offset: number) => file.getLineAndCharacterOfPosition(offset).line + 1

  const add = (
    node: ts.Node,
    names: string[],
    type: string,
    place: Place,
    callable: ts.Node | null,
  ): string => {
    const plain = [place.qualifier, ...names].filter((part) => part !== '').join('.')
    const count = (counts.get(plain) ?? 0) + 1
    counts.set(plain, count)
    const qualified_name = count === 1 ? plain : `${plain}~${count}`
    const signature = callable !== null && ts.isFunctionLike(callable) ? callable : null
    const outer = place.statement ?? node
    found.push({
      qualified_name,
      type,
      start_line: lineOf(outer.getStart(file)),
      end_line: lineOf(outer.getEnd()),
      docstring: docOf(outer, file) ?? docOf(node, file),
      params: (signature?.parameters ?? []).map((param) =>
        paramText(
          (param.dotDotDotToken ? '...' : '') + param.name.getText(file),
          param.type ? print(param.type) : null,
          param.initializer !== undefined,
        ),
      ),
      returns: signature?.type === undefined ? null : squeeze(print(signature.type)),
    })
    return qualified_name
  }

  const inside = (node: ts.Node, qualifier: string, members = false): undefined => {
    ts.forEachChild(node, (child) => visit(child, { qualifier, members, statement: null }))
  }

  const bind = (
    node: ts.Node,
    value: ts.Expression | undefined,
    names: string[],
    type: string,
    place: Place,
  ): boolean => {
    const bound = value && unwrap(value)
    if (bound === undefined) return false
    if (ts.isArrowFunction(bound) || ts.isFunctionExpression(bound)) {
      inside(bound, add(node, names, type, place, bound))
      return true
    }
    if (ts.isClassExpression(bound)) {
      inside(bound, add(node, names, 'class', place, null), true)
      return true
    }
    if (!ts.isObjectLiteralExpression(bound)) return false
    inside(bound, [place.qualifier, ...names].filter((part) => part !== '').join('.'), true)
    return true
  }

  const visit = (node: ts.Node, place: Place): undefined => {
    const again = () => inside(node, place.qualifier)
    if (ts.isVariableStatement(node) && node.declarationList.declarations.length === 1) {
      const [only] = node.declarationList.declarations
      if (only) return visit(only, { ...place, statement: node })
    }
    if (ts.isFunctionDeclaration(node))
      return inside(node, add(node, [node.name?.text ?? 'default'], 'function', place, node))
    if (ts.isClassDeclaration(node))
      return inside(node, add(node, [node.name?.text ?? 'default'], 'class', place, null), true)
    if (ts.isClassExpression(node)) {
      const named = node.name && add(node, [node.name.text], 'class', place, null)
      return inside(node, named ?? place.qualifier, true)
    }
    if (ts.isInterfaceDeclaration(node))
      return inside(node, add(node, [node.name.text], 'class', place, null), true)
    if (ts.isEnumDeclaration(node)) return inside(node, add(node, [node.name.text], 'class', place, null))
    if (ts.isTypeAliasDeclaration(node)) {
      const name = add(node, [node.name.text], 'class', place, null)
      return ts.isTypeLiteralNode(node.type) ? inside(node.type, name, true) : inside(node, name)
    }
    if (ts.isModuleDeclaration(node)) {
      const isGlobal = node.name.text === 'global' && !ts.isStringLiteral(node.name)
      return inside(
        node,
        isGlobal
          ? place.qualifier
          : [place.qualifier, node.name.getText(file)].filter((part) => part !== '').join('.'),
      )
    }
    if (ts.isModuleBlock(node)) return inside(node, place.qualifier)
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name)) {
      if (!bind(node, node.initializer, [node.name.text], 'function', place)) again()
      return
    }
    if (ts.isExportAssignment(node)) {
      if (node.isExportEquals || !bind(node, node.expression, ['default'], 'function', place)) again()
      return
    }
    if (ts.isExpressionStatement(node)) return visit(node.expression, { ...place, statement: node })
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
      const names = assignedNames(node.left, file)
      const isMember = names !== null && (names.length > 1 || node.left.getText(file).startsWith('this.'))
      if (names === null || !bind(node, node.right, names, isMember ? 'method' : 'function', place)) again()
      return
    }
    const isMethod =
      ts.isMethodDeclaration(node) ||
      ts.isMethodSignature(node) ||
      ts.isAccessor(node) ||
      ts.isConstructorDeclaration(node)
    if (isMethod) {
      if (!place.members) return again()
      const name = ts.isConstructorDeclaration(node) ? 'constructor' : nameText(node.name, file)
      return inside(node, add(node, [name], 'method', place, node))
    }
    if (ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node)) {
      if (!place.members || !bind(node, node.initializer, [nameText(node.name, file)], 'method', place))
        again()
      return
    }
    again()
  }
  inside(file, '')
  return found
}

/** Compares every file that the compiler parses without a complaint. */
export const compareTypeScript = async (
  paths: readonly string[],
): Promise<Comparison & { files: number }> => {
  const comparison = { definitions: 0, agreed: 0, differences: [], files: 0 }
  for (const path of paths) {
    const source = readFileSync(path)
    const theirs = typescriptDefinitions(path, source.toString('utf8'))
    const ours = await parseNodes(path, source)
    if (theirs === null || ours.nodes.length === 0) continue
    comparison.files += 1
    compare(path, ourDefinitions(ours.nodes), theirs, comparison)
  }
  return comparison
}
