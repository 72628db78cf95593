import { join } from 'node:path'
import ts from 'typescript-5'
import manifest from '../../package.json' with { type: 'json' }

/** What the entry points of a built package export, and which names of ours their signatures use besides. */
export interface PublicNames {
  /** By entry point: `twotrack/tool` → its names. */
  readonly entries: ReadonlyMap<string, readonly string[]>
  /** `Used in User`: a type that a caller meets and cannot name. */
  readonly hidden: readonly string[]
}

export function publicNames(root: string): PublicNames {
  const files = Object.entries(manifest.exports).flatMap(([path, target]) =>
    typeof target === 'string' ? [] : [[`twotrack${path.slice(1)}`, join(root, target.types)] as const],
  )
  const options = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2024,
    strict: true,
    skipLibCheck: true,
  }
  const program = ts.createProgram(
    files.map(([, file]) => file),
    options,
  )
  const checker = program.getTypeChecker()
  const actual = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const exported = new Map(
    files.map(([name, file]) => {
      const source = program.getSourceFile(file)
      const entry = source && checker.getSymbolAtLocation(source)
      if (!entry) throw new Error(`${file} is no module`)
      return [
        name,
        checker.getExportsOfModule(entry).map((symbol) => ({ name: symbol.name, actual: actual(symbol) })),
      ]
    }),
  )
  const known = new Set([...exported.values()].flat().map((one) => one.actual))
  const hidden = new Set<string>()
  for (const symbol of known) for (const declaration of symbol.declarations ?? []) look(declaration, symbol)
  return {
    entries: new Map([...exported].map(([name, all]) => [name, all.map((one) => one.name).sort()])),
    hidden: [...hidden].sort(),
  }

  function look(node: ts.Node, user: ts.Symbol): void {
    const isPrivate = ts.isClassElement(node) && node.name !== undefined && ts.isPrivateIdentifier(node.name)
    if (isPrivate) return
    if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) note(node, user)
    ts.forEachChild(node, (child) => look(child, user))
  }

  function note(node: ts.TypeReferenceNode | ts.ExpressionWithTypeArguments, user: ts.Symbol): void {
    const found = checker.getSymbolAtLocation(ts.isTypeReferenceNode(node) ? node.typeName : node.expression)
    const used = found && actual(found)
    const [declaration] = used?.declarations ?? []
    if (!used || !declaration || known.has(used) || ts.isTypeParameterDeclaration(declaration)) return
    const { fileName } = declaration.getSourceFile()
    if (fileName.startsWith(join(root, 'dist'))) hidden.add(`${used.name} in ${user.name}`)
  }
}
