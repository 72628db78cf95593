/** Writes fixtures that agree with the code; what does not is refused, each problem in a sentence for whoever made them. */
export default async function ({ fixtures }, { get_node_metadata, file_exists, read_file, write_file }) {
  const { path } = await get_node_metadata()
  const problems = []
  let cases = 0
  for (const [name, given] of Object.entries(fixtures)) {
    const node = await get_node_metadata(`${path}:${name}`).catch(() => undefined)
    const params = node && node.type !== 'class' && !/^[_#]/.test(node.name) ? givenTo(node) : []
    if (params.length === 0) problems.push(`There is no public function ${name} that takes arguments.`)
    else
      for (const [at, one] of given.entries()) {
        cases += 1
        const wrong = caseProblems(params, node.signature, one)
        problems.push(...wrong.map((problem) => `${name}, case ${at + 1}: ${problem}`))
      }
  }
  if (cases === 0) problems.push('There is no case in them.')
  const folders = ['tests/fixtures', 'test/fixtures', 'fixtures']
  let folder = folders[0]
  for (const one of folders.toReversed()) if (await file_exists(one)) folder = one
  // `inventory/stock.py` → `inventory_stock`: two files of one name in two folders stay apart.
  const target = `${folder}/${path.replace(/\.\w+$/, '').replace(/\W+/g, '_')}.json`
  const text = `${JSON.stringify(fixtures, null, 2)}\n`
  if ((await file_exists(target)) && (await read_file(target)) !== text)
    problems.push(`There is a file ${target} already.`)
  const refused = `No fixtures were written. ${problems.slice(0, 8).join(' ')}`
  if (problems.length > 0) return error(refused, refused.slice(0, 300))
  await write_file(target, text)
  const known = { fixtures_written: cases, fixture_file: target }
  return success({ path: target, cases }, `Wrote ${cases} fixtures to ${target}.`, known)
}

/** Parameters that a caller gives: not the object that a method belongs to. */
const givenTo = ({ type, language, params, decorators }) =>
  type === 'method' && language === 'python' && !decorators.some((name) => name.includes('staticmethod'))
    ? params.slice(1)
    : params

function caseProblems(params, signature, one) {
  const bare = ({ name }) => name.replace(/^(?:\*{1,2}|\.{3})|\?$/g, '')
  const isNamed = (param) => /^[\w$]+$/.test(bare(param))
  // What is taken apart has no name of its own, so any name may stand for it.
  const isOpen = params.some((param) => param.name.startsWith('**') || !isNamed(param))
  const isOptional = (param) =>
    param.default !== null || !/^[\w$]+$/.test(param.name) || signature.includes(`${param.name}?`)
  const unknown = Object.keys(one).filter((name) => !isOpen && !params.some((param) => bare(param) === name))
  const missing = params.filter((param) => !isOptional(param) && !Object.hasOwn(one, param.name))
  const wrong = params.filter(
    (param) => Object.hasOwn(one, bare(param)) && !fits(param.type, one[bare(param)]),
  )
  return [
    ...unknown.map((name) => `it has no parameter ${name}.`),
    ...missing.map(({ name }) => `the argument ${name} is missing.`),
    ...wrong.map(
      (param) => `${bare(param)} is ${JSON.stringify(one[bare(param)])}, and its type is ${param.type}.`,
    ),
  ]
}

const is = (name) => (value) => typeof value === name
const PLAIN = {
  ...{ str: is('string'), string: is('string'), bool: is('boolean'), boolean: is('boolean') },
  ...{ int: Number.isInteger, float: is('number'), number: is('number') },
  ...{ None: (value) => value === null, null: (value) => value === null },
}

/** Whether a value may have a type as it is written in Python or TypeScript. One that says too little takes every value. */
function fits(type, value) {
  const text = type?.trim() ?? ''
  const parts = split(text, '|')
  if (parts.length > 1) return parts.some((part) => fits(part, value))
  if (Object.hasOwn(PLAIN, text)) return PLAIN[text](value)
  if (text.endsWith('[]')) return Array.isArray(value) && value.every((item) => fits(text.slice(0, -2), item))
  const [, outer, inside = ''] = /^(?:typing\.)?(\w+)[[<](.*)[\]>]$/s.exec(text) ?? []
  const inner = split(inside, ',')
  if (/^(?:[Ll]ist|Sequence|Array|ReadonlyArray)$/.test(outer))
    return Array.isArray(value) && value.every((item) => fits(inner[0], item))
  if (/^(?:[Dd]ict|Mapping|Record)$/.test(outer))
    return (
      typeof value === 'object' &&
      value !== null &&
      Object.values(value).every((item) => fits(inner[1], item))
    )
  if (outer === 'Optional') return value === null || fits(inner[0], value)
  if (outer === 'Union') return inner.some((part) => fits(part, value))
  if (outer === 'Literal') return inner.some((part) => isLiteral(part, value))
  return /^(["']).*\1$|^-?\d+$/s.test(text) ? isLiteral(text, value) : true
}

const isLiteral = (text, value) => text.replace(/^(["'])(.*)\1$/s, '$2') === String(value)

/** Splits at a character that stands in no brackets and no quotes. */
function split(text, separator) {
  const parts = ['']
  let depth = 0
  let quote = ''
  for (const char of text) {
    if (quote !== '') quote = char === quote ? '' : quote
    else if (char === '"' || char === "'") quote = char
    else if ('[(<{'.includes(char)) depth += 1
    else if ('])>}'.includes(char)) depth -= 1
    if (char === separator && depth === 0 && quote === '') parts.push('')
    else parts[parts.length - 1] += char
  }
  return parts.map((part) => part.trim())
}
