import { plural, shortLine } from '../../text/lines.ts'

const LINES_MAX = 400
const ERROR =
  /^(?:psql|mysql|mariadb)?(?::[^:]{0,200}:\d{1,9})?:? ?(?:ERROR|FATAL|error): {1,2}(\S.{0,500})$|^ERROR \d{1,6} \([0-9A-Z]{5}\)[^:]{0,40}: (.{1,500})$/
const SQLITE_ERROR =
  /^(?:Error|Parse error|Runtime error)(?: near line \d{1,9}| in prepare|: in prepare)?[:,] (.{1,500})$/
const AFFECTED = /^Query OK, (\d{1,12}) rows? affected/
const TAG =
  /^(?:(?:INSERT \d{1,12}|UPDATE|DELETE|COPY|MERGE|SELECT) (\d{1,12})|(?:CREATE|DROP|ALTER|TRUNCATE|GRANT|BEGIN|COMMIT|ROLLBACK)(?: [A-Z ]{1,40})?)$/

/** What a database says of a statement that gave no rows. */
export interface SqlAnswer {
  readonly error?: string
  /** `3 rows affected`, `CREATE TABLE`. */
  readonly done?: string
}

export function readSqlAnswer(lines: readonly string[]): SqlAnswer {
  let affected = 0
  let counted = false
  const done: string[] = []
  for (const raw of lines.slice(0, LINES_MAX)) {
    const line = raw.trim()
    const error = ERROR.exec(line) ?? SQLITE_ERROR.exec(line)
    if (error) return { error: shortLine(error[1] ?? error[2] ?? '') }
    const rows = AFFECTED.exec(line) ?? TAG.exec(line)
    if (rows?.[1] !== undefined) {
      affected += Number(rows[1])
      counted = true
    } else if (rows) done.push(line)
  }
  const said = [...(counted ? [`${plural(affected, 'row')} affected`] : []), ...new Set(done)]
  return said.length > 0 ? { done: said.slice(0, 4).join(', ') } : {}
}
