/** Which names the files of a tree define, read as the formatter writes them: a definition begins a line. */

const EXPORTED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm
const PRIVATE =
  /^(?:async )?(?:function\*?|const) (\w+)\b[\s\S]*?(?=\n(?:\/\*\*|\/\/|export |async |function|const |let |class |interface |type )|$(?![\s\S]))/gm

/** `name: one.ts, other.ts`: exported by two files, so that it means two things, or one of them is not needed. */
export function definedTwice(tree: ReadonlyMap<string, string>): string[] {
  const found = [...tree].flatMap(([file, text]) =>
    [...text.matchAll(EXPORTED)].map(([, name = '']) => ({ name, file })),
  )
  return named(found, 2)
}

/** Private functions of one name and one body shape that stand in three files. */
export function writtenThrice(tree: ReadonlyMap<string, string>): string[] {
  const found = [...tree].flatMap(([file, text]) =>
    [...text.matchAll(PRIVATE)]
      .filter(([body]) => /=>|^(?:async )?function/.test(body))
      .map(([body, name = '']) => ({ name: `${name} ${shapeOf(body)}`, file })),
  )
  return named(found, 3).map((one) => one.replace(/ [^:]*:/, ':'))
}

/** What is left of a body without its names, texts and numbers. */
const shapeOf = (body: string): string =>
  body
    .replace(/'[^'\n]*'|`[^`]*`|\/\*[\s\S]*?\*\//g, '"')
    .replace(/\/\/[^\n]*/g, '')
    .replace(/\w+/g, 'w')
    .replace(/[\s:]+/g, '')

function named(found: readonly { readonly name: string; readonly file: string }[], files: number): string[] {
  return [...Map.groupBy(found, ({ name }) => name)]
    .map(([name, same]) => ({ name, in: [...new Set(same.map(({ file }) => file))] }))
    .filter((one) => one.in.length >= files)
    .map((one) => `${one.name}: ${one.in.join(', ')}`)
    .sort()
}
