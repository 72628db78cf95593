import { z } from 'zod'
import { linearPattern } from '../linear-pattern.ts'
import { isSourcePath } from '../nodes/source-path.ts'

const text = z.string().min(1).max(2000)

/** A linter as a row of data: what it looks at, how it is called, what it writes. */
export const checkSchema = z.strictObject({
  name: z.string().regex(/^[\w.@/-]{1,64}$/),
  /** Which files it looks at; a pattern without a slash is for names in any folder. */
  files: text.refine((pattern) => canBeSource(pattern), {
    error: 'a pattern of files that agents work on: Python, TypeScript, JavaScript',
  }),
  /** Files that have to be there for it to be used in their folder and below; everywhere, unless given. */
  markers: z.array(text).min(1).exactOptional(),
  /** The command that reports. `{files}` stands for the files; one without it looks at everything by itself. */
  check: text,
  /** The command that writes its safe fixes into the files. */
  fix: text.exactOptional(),
  /** `sarif`, `json`, `lines`, or a regular expression of one line with the groups path, line, column, code and message. */
  report: text.refine((one) => ['sarif', 'json', 'lines'].includes(one) || isPattern(one), {
    error: 'sarif, json, lines, or a regular expression with the groups path, line and message',
  }),
})
export type CheckRow = z.infer<typeof checkSchema>

/** A row for files of which no agent is begun would never run, and nobody would be told. */
function canBeSource(pattern: string): boolean {
  const ending = /\.\w+$/.exec(pattern)?.[0]
  return ending === undefined || isSourcePath(`file${ending}`)
}

function isPattern(text: string): boolean {
  try {
    const named = linearPattern(text).namedGroups()
    return ['path', 'line', 'message'].every((name) => Object.hasOwn(named, name))
  } catch {
    return false
  }
}
