import { cut } from '../text/cut.ts'
import { firstOf, plural } from '../text/lines.ts'
import { complaintIn } from './complaint.ts'
import { isPathInCode, pathBefore } from './place.ts'
import type { Summarizer } from './summarizer.ts'
import { linesOf } from './within.ts'

const FILES_NAMED_MAX = 4
const NOTHING =
  /^(?:no (?:matches|files|results)\b.{0,60}|0 (?:matches|results|files)\b.{0,60}|found 0\b.{0,60})$/i

/** A search: in which files, how many lines. */
export const search: Summarizer = {
  name: 'search',
  summarize({ call: { intent }, shown, outcome, exit }) {
    if (intent.kind !== 'search') return undefined
    const asked = `"${cut(intent.pattern, 80)}"`
    const where = intent.path === undefined ? '' : ` in ${intent.path}`
    // Searchers end with 1 when they find nothing.
    if ((shown === '' && (exit ?? 1) <= 1) || NOTHING.test(shown.trim()))
      return { summary: `Found nothing for ${asked}${where}`, outcome: 'success', output: null }
    if (outcome === 'error') return undefined
    const problem = complaintIn(shown)
    if (problem !== undefined)
      return { summary: `Search for ${asked}${where} failed: ${problem}`, outcome: 'error' }
    const files = new Map<string, number>()
    const looked = linesOf(shown)
    let lines = 0
    for (const line of looked.lines) {
      if (line === '' || line === '--') continue
      lines++
      const path = pathBefore(line) ?? (isPathInCode(line.trim()) ? line.trim() : undefined)
      if (path !== undefined) files.set(path, (files.get(path) ?? 0) + 1)
    }
    const inFiles = [...files.values()].reduce((total, count) => total + count, 0)
    if (inFiles < lines * 0.6)
      return where === ''
        ? undefined
        : { summary: `Found ${asked}${where}: ${plural(lines + looked.total - looked.lines.length, 'line')}` }
    const names = [...files].sort(([, a], [, b]) => b - a).map(([path]) => path)
    return {
      summary: `Found ${asked} in ${plural(files.size, 'file')}: ${firstOf(names, FILES_NAMED_MAX)}`,
    }
  },
}
