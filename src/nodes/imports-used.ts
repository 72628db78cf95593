/** Which imports of a file are used inside a node: by the words in it, not by its text, so that comments don't count. */

import type { NamePlace } from './capture.ts'
import type { Import, LanguageName, Param } from './node.ts'

/** Local name → the import behind it. Python's `import a.b` binds `a`; a script's bare import binds nothing. */
const boundNames = (imports: readonly Import[], language: LanguageName): Map<string, string[]> => {
  const bound = new Map<string, string[]>()
  const bind = (local: string, label: string) => bound.set(local, [...(bound.get(local) ?? []), label])
  for (const { module, alias, names, reexport } of imports) {
    if (reexport) continue
    if (alias !== null) bind(alias, module)
    else if (names.length === 0 && language === 'python') bind(module.split('.', 1)[0] ?? module, module)
    for (const one of names) if (one.name !== '*') bind(one.alias ?? one.name, `${module}:${one.name}`)
  }
  return bound
}

const unique = (labels: readonly string[]): string[] => [...new Set(labels)].sort()

/** All that a file imports. */
export const importedNames = (imports: readonly Import[]): string[] =>
  unique(
    imports.flatMap(({ module, names }) =>
      names.length === 0 ? [module] : names.map(({ name }) => `${module}:${name}`),
    ),
  )

/** Whether a sorted list has a number from `start` up to but not including `end`. */
const hasBetween = (places: readonly number[], start: number, end: number): boolean => {
  let low = 0
  let high = places.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((places[middle] ?? 0) < start) low = middle + 1
    else high = middle
  }
  return (places[low] ?? end) < end
}

/** Places come in the order of the source. The answer for a node leaves out what its parameters hide. */
export const importsUsed = (
  imports: readonly Import[],
  names: readonly NamePlace[],
  importPlaces: readonly NamePlace[],
  text: string,
  language: LanguageName,
): ((node: { start: number; end: number; params: readonly Param[] }) => string[]) => {
  const bound = boundNames(imports, language)
  const uses = new Map<string, number[]>()
  let next = 0
  for (const { start, end } of bound.size === 0 ? [] : names) {
    while ((importPlaces[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next += 1
    if ((importPlaces[next]?.start ?? Number.POSITIVE_INFINITY) <= start) continue
    const name = text.slice(start, end)
    if (!bound.has(name)) continue
    const places = uses.get(name) ?? []
    places.push(start)
    uses.set(name, places)
  }
  return ({ start, end, params }) => {
    const hidden = new Set(params.map((param) => param.name))
    const used = [...uses].filter(([name, places]) => !hidden.has(name) && hasBetween(places, start, end))
    return unique(used.flatMap(([name]) => bound.get(name) ?? []))
  }
}
