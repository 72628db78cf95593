import { addFinding, countedReport, newFindings, severityOf } from './findings.ts'
import type { Reader } from './reader.ts'

const ANNOTATION = /^::(error|warning|notice) ([^:]{1,600}?)::(.{0,800})$/

/** GitHub workflow commands, as many linters write them: `::error file=x.py,line=1,col=8,title=…::message`. */
export const annotations: Reader = {
  tool: 'annotations',
  names: [],
  recognises: ({ text, lines }) =>
    text.includes('::') &&
    lines.some((line) => line.startsWith('::') && ANNOTATION.exec(line)?.[2]?.includes('file=') === true),
  read: ({ lines, text }) => {
    const findings = newFindings()
    for (const line of lines) {
      const said = line.startsWith('::') ? ANNOTATION.exec(line) : null
      if (said === null) continue
      const fields = new Map((said[2] ?? '').split(',').map((part): [string, string] => splitField(part)))
      const title = fields.get('title')
      addFinding(findings, {
        path: fields.get('file'),
        line: numberOf(fields.get('line')),
        column: numberOf(fields.get('col')),
        severity: severityOf(said[1] === 'notice' ? 'info' : (said[1] ?? '')),
        code: title === undefined ? undefined : (/\(([\w/-]{1,80})\)/.exec(title)?.[1] ?? title),
        message: (said[3] ?? '').replaceAll('%0A', ' '),
      })
    }
    if (findings.total === 0) return undefined
    return countedReport(text.includes('title=ruff (') ? 'ruff' : 'annotations', 'lint', findings)
  },
}

function splitField(part: string): [string, string] {
  const at = part.indexOf('=')
  return at === -1 ? [part.trim(), ''] : [part.slice(0, at).trim(), part.slice(at + 1)]
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}
