import { cut } from '../text/cut.ts'
import { onOneLine, quoted } from '../text/lines.ts'

const LINES_MAX = 3
const REASON =
  /\b(?:No such file or directory|Permission denied|Is a directory|Not a directory|command not found|cannot (?:access|open|stat|remove)|can't read|(?:illegal|invalid|unrecognized|unknown) option|does not exist|not recognized as)\b/i
const FATAL = /^(?:fatal|panic|fatal error|npm error|npm ERR!|Traceback \(most)(?::|\b)/i
const PROGRAM = /^(?:[\w./\\-]{1,60}: ){1,3}\S/
const TOOL =
  /^(?:Error|ERROR|error|\w{0,40}(?:Error|Exception))\b: ?\S|^ERROR:?$|^(?:File|Path) does not exist/

/** Whether a line complains: `ls: cannot access 'x'`, `ValueError: …`, `fatal: …`. */
export const isComplaint = (line: string): boolean =>
  line.length <= 2_000 && ((PROGRAM.test(line) && REASON.test(line)) || TOOL.test(line) || FATAL.test(line))

/** What a short output complains of instead of showing what was asked for: `ls: cannot access 'x'`. */
export function complaintIn(shown: string): string | undefined {
  const lines = shown.split('\n', LINES_MAX + 1).filter((line) => line.trim() !== '')
  const [first = '', second = ''] = lines
  if (lines.length === 0 || lines.length > LINES_MAX || first.length > 2_000) return undefined
  const complains = lines.every((line) => (PROGRAM.test(line) && REASON.test(line)) || TOOL.test(line))
  if (!complains && !(TOOL.test(first) && shown.length < 1_000)) return undefined
  return quoted(cut(onOneLine(/^ERROR:?$/.test(first) ? second : first), 160))
}
