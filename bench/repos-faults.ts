/** Small faults of the kind that linters fix, put into files of a project that has none: most are clean as they are. */

type Fault = (text: string) => string

/** Two neighbouring imports of one line each, the wrong way round. */
const swapped =
  (line: RegExp): Fault =>
  (text) => {
    const lines = text.split('\n')
    const at = lines.findIndex((one, index) => line.test(one) && line.test(lines[index + 1] ?? ''))
    if (at !== -1) lines.splice(at, 2, lines[at + 1] ?? '', lines[at] ?? '')
    return lines.join('\n')
  }

const PYTHON: readonly Fault[] = [
  (text) => text.replace(/^(import \w+)$/m, '$1\nimport colorsys'),
  swapped(/^(?:import \w+|from [\w.]+ import [\w, ]+)$/),
  (text) => text.replace(/^( +if )(\w+) is not None:$/m, '$1not $2 is None:'),
  (text) => text.replace(/^( +raise \w+\()("[\w ]+"\))$/m, '$1f$2'),
  (text) => text.replace(/^( +)pass$/m, '$1pass;'),
  (text) => text.replace(/^( +return )(\w+) not in (\w+)$/m, '$1not $2 in $3'),
]

const SCRIPT: readonly Fault[] = [
  (text) => text.replace(/^(\s*)const (\w+ = )/m, '$1let $2'),
  swapped(/^import .* from ['"][^'"]+['"];?$/),
  (text) => text.replace(/^(\s*if \()(\w+)(\) \{)$/m, '$1!!$2$3'),
  (text) => text.replace(/(\W\w+)\.(length)\b/, "$1['$2']"),
  (text) => text.replace(/^(\s*)(throw new \w+\()'([\w ]+)'/m, '$1$2`$3`'),
  (text) => text.replace(/^import (\{[^}]*\} from ['"])node:(?=(?:fs|path|os|url|util)\b)/m, 'import $1'),
]

/** The text with the first fault that can be put into it, beginning with the `nth` kind; the same text if none can. */
export function faulty(path: string, text: string, nth: number): string {
  const kinds = path.endsWith('.py') ? PYTHON : SCRIPT
  for (let at = 0; at < kinds.length; at++) {
    const changed = kinds[(nth + at) % kinds.length]?.(text) ?? text
    if (changed !== text) return changed
  }
  return text
}
