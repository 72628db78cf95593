import { join } from 'node:path'
import ts from 'typescript-5'
import manifest from '../../package.json' with { type: 'json' }
import { ROOT } from './consumer.ts'

/** What each entry point exports, with its types, as they are shipped: a change of it shows in review. */
export function apiReports(): Map<string, string> {
  const entries = Object.entries(manifest.exports).flatMap(([path, target]) =>
    typeof target === 'string' ? [] : [{ path, file: join(ROOT, target.types) }],
  )
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2024, strict: true, skipLibCheck: true },
  )
  const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed })
  return new Map(
    entries.map(({ path, file }) => {
      const name = `twotrack${path.slice(1)}`
      const declarations = exportsOf(program, file).map((one) => declarationOf(one, printer))
      const text = `# ${name}\n\n\`\`\`ts\n${declarations.join('\n')}\n\`\`\`\n`
      return [`${name.replaceAll('/', '-')}.api.md`, text] as const
    }),
  )
}

/** An export: the name that a user imports, and what it stands for. */
interface Exported {
  readonly name: string
  readonly symbol: ts.Symbol
}

function exportsOf(program: ts.Program, file: string): Exported[] {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)
  const entry = source && checker.getSymbolAtLocation(source)
  if (!entry) throw new Error(`${file} is no module`)
  return checker
    .getExportsOfModule(entry)
    .map((found) => {
      const symbol = found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found
      return { name: found.name, symbol }
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

function declarationOf({ name, symbol }: Exported, printer: ts.Printer): string {
  return (symbol.declarations ?? [])
    .map((declaration) => {
      const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
      const text = printer.printNode(ts.EmitHint.Unspecified, node, declaration.getSourceFile())
      return text
        .replace(/^export (?:declare )?/, '')
        .replace(new RegExp(`^(\\w+ )${symbol.name}\\b`), `$1${name}`)
    })
    .join('\n')
}
