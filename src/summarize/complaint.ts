import { cut } from '../text/cut.ts'
import { onOneLine, quoted } from '../text/lines.ts'

/** Longer outputs hold more than a complaint. */
const LINES_MAX = 60
const REASON =
  /\b(?:No such file or directory|No module named|Permission denied|Is a directory|Not a directory|command not found|cannot (?:access|open|stat|remove|find)|can't (?:read|cd)|(?:illegal|invalid|unrecognized|unknown) option|does not exist|not recognized as)\b/i
const PROGRAM = /^(?:(?:[\w./\\-]{1,60}|line \d{1,9}): ){1,4}\S/
const TOOL =
  /^(?:Error|ERROR|error|\w{0,40}(?:Error|Exception))\b: ?\S|^ERROR:?$|^(?:File|Path) does not exist/
const FATAL =
  /^(?:fatal|panic|fatal error|npm error|npm ERR!|collect2: error|make(?:\[\d{1,4}\])?: \*\*\*|-- Configuring incomplete|Command (?:aborted|timed out)|MCP error|Traceback \(most)(?::|\b|\s)/i
/** What a harness says of the form of an answer, or of a call beside it: what was asked for was not tried. */
const UNTRIED = /^(?:Sibling tool call errored|Please (?:always )?(?:provide|format) )/i
/** What a harness or a person says in place of a result: it was not done. */
const REFUSED =
  /^(?:The user (?:doesn't want|does not want|rejected|denied|declined)|Your proposed edit has introduced|File has (?:not been read|been (?:unexpectedly )?modified)|(?:The )?(?:tool|command|action|operation|request|permission)\b.{0,60}\b(?:rejected|denied|refused|not allowed|errored)\b)/i
/** What stands below a complaint of a command line. */
const USAGE = /^(?:usage:|For more information|Try ['`]|See ['`]|Did you mean)/i

/** Whether all that came back is that the call did not run: no attempt at anything has failed. */
export const isUntried = (shown: string): boolean => UNTRIED.test(shown.trimStart())

/** Whether a line complains: `ls: cannot access 'x'`, `ValueError: …`, `fatal: …`. */
export const isComplaint = (line: string): boolean =>
  line.length <= 2_000 && ((PROGRAM.test(line) && REASON.test(line)) || TOOL.test(line) || FATAL.test(line))

/**
 * What an output complains of instead of showing what was asked for: `ls: cannot access 'x'`. A program may print an
 * error first and go on, which `all` takes into account: then every line has to be one.
 */
export function complaintIn(shown: string, all = false): string | undefined {
  const lines = shown.split('\n', LINES_MAX * 2).filter((line) => line.trim() !== '')
  const [first = '', second = ''] = lines
  if (first === '' || first.length > 2_000) return undefined
  const complains =
    REFUSED.test(first) ||
    UNTRIED.test(first) ||
    (lines.length <= LINES_MAX &&
      isComplaint(first) &&
      lines.every((line) => isComplaint(line) || USAGE.test(line))) ||
    (!all && TOOL.test(first) && shown.length < 1_000) ||
    (all && lines.length <= LINES_MAX && FATAL.test(lines.at(-1) ?? ''))
  return complains ? quoted(cut(onOneLine(/^ERROR:?$/.test(first) ? second : first), 160)) : undefined
}
