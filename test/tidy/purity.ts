import ts from 'typescript-5'
import { importsIn } from './imports.ts'

/** The system, the clock, chance, the network, the machine's language. */
const IMPURE_NAMES = new Set(
  (
    'Promise process performance console crypto fetch globalThis Intl WeakRef FinalizationRegistry ' +
    'setTimeout setInterval setImmediate queueMicrotask'
  ).split(' '),
)
/** `Math`'s functions whose last digit an engine may choose, among them. */
const IMPURE_MEMBERS =
  /^(?:Date\.now|Math\.(?:random|log|log2|log10|log1p|exp|expm1|pow|sin|cos|tan|sinh|cosh|tanh|asin|acos|atan|atan2|cbrt|hypot)|.*\.(?:localeCompare|toLocale\w+))$/
const MUTATES = new Set(
  'set add delete clear push pop shift unshift splice sort reverse fill copyWithin'.split(' '),
)
const HOLDERS = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'Array'])

const parsed = (text: string) => ts.createSourceFile('file.ts', text, ts.ScriptTarget.ESNext, true)

function eachNode(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node)
  ts.forEachChild(node, (child) => eachNode(child, visit))
}

/** What in a file does not give the same for the same input, or does not give it at once. */
export function impuritiesIn(text: string): string[] {
  const found = importsIn(text).filter((name) => name.startsWith('node:'))
  eachNode(parsed(text), (node) => {
    const impurity = impurityOf(node)
    if (impurity !== undefined) found.push(impurity)
  })
  return found
}

function impurityOf(node: ts.Node): string | undefined {
  if (node.kind === ts.SyntaxKind.AsyncKeyword || node.kind === ts.SyntaxKind.AwaitKeyword) return 'async'
  if (ts.isAwaitExpression(node)) return 'await'
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length) {
    return 'new Date()'
  }
  if (ts.isPropertyAccessExpression(node)) {
    const [member] = IMPURE_MEMBERS.exec(node.getText()) ?? []
    if (member !== undefined) return member
  }
  return ts.isIdentifier(node) && IMPURE_NAMES.has(node.text) && !isMemberName(node) ? node.text : undefined
}

/** `x.process` and `{ process: 1 }` are words of their own. */
const isMemberName = ({ parent, ...name }: ts.Identifier): boolean =>
  (ts.isPropertyAccessExpression(parent) && parent.name.pos === name.pos) ||
  ((ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent)) && parent.name.pos === name.pos)

/** What in a file outlives a call: variables of the module, and constants of it that something changes. */
export function moduleStateIn(text: string): string[] {
  const source = parsed(text)
  const variables = source.statements
    .filter(ts.isVariableStatement)
    .map(({ declarationList }) => declarationList)
  const [constants, others] = [true, false].map((wanted) =>
    variables
      .filter(({ flags }) => ((flags & ts.NodeFlags.Const) !== 0) === wanted)
      .flatMap(({ declarations }) => [...declarations]),
  )
  const held = new Set((constants ?? []).map(({ name }) => name.getText()))
  const found = (others ?? []).map(({ name }) => name.getText())
  found.push(...(constants ?? []).filter(isEmptyHolder).map(({ name }) => name.getText()))
  eachNode(source, (node) => {
    const changed = changedBy(node)
    if (changed !== undefined && held.has(changed)) found.push(changed)
    if (ts.isPropertyDeclaration(node) && isStatic(node)) found.push(node.name.getText())
  })
  return [...new Set(found)]
}

/** A holder that begins empty is there to be filled. */
const isEmptyHolder = ({ initializer }: ts.VariableDeclaration): boolean =>
  initializer !== undefined &&
  ts.isNewExpression(initializer) &&
  HOLDERS.has(initializer.expression.getText()) &&
  !initializer.arguments?.length

const isStatic = (node: ts.PropertyDeclaration): boolean =>
  (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Static) !== 0 &&
  (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Readonly) === 0

/** The name whose value a node changes: `x.set(…)`, `x[1] = …`, `x.n++`, `delete x.n`, `Object.assign(x, …)`. */
function changedBy(node: ts.Node): string | undefined {
  if (ts.isCallExpression(node)) {
    const { expression } = node
    if (expression.getText() === 'Object.assign') return rootOf(node.arguments[0])
    if (!ts.isPropertyAccessExpression(expression) || !MUTATES.has(expression.name.text)) return undefined
    return rootOf(expression.expression)
  }
  if (ts.isDeleteExpression(node)) return rootOf(node.expression)
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
    const changes = [ts.SyntaxKind.PlusPlusToken, ts.SyntaxKind.MinusMinusToken].includes(node.operator)
    return changes ? rootOf(node.operand) : undefined
  }
  if (!ts.isBinaryExpression(node)) return undefined
  const { kind } = node.operatorToken
  const assigns = kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment
  return assigns ? rootOf(node.left) : undefined
}

/** `x` of `x`, `x.a` and `x.a[0]`. */
function rootOf(node: ts.Node | undefined): string | undefined {
  if (node && (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node))) {
    return rootOf(node.expression)
  }
  return node && ts.isIdentifier(node) ? node.text : undefined
}
