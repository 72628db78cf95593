import { lineReader } from './line-format.ts'
import type { Place } from './place.ts'

const NOT_SOURCE = /\.(?:log|json|csv|com|net|org|io|lock)$/i
const CODE =
  /[{;,=]$|=>|\)\s?;| [:=]= | = |^\s?(?:import|from|return|const|let|var|def|class|if|for|while|func|fn|public|private|export|package|use|#include)\b/
const PROSE = /^ ?\[?["'`A-Za-z]/

/**
 * `path:line:column: message` of a tool that nobody has described yet. Search results, logs and stack traces look
 * alike; so the lines must read as prose, and have a column or a rule, and most places of the output must be such.
 */
export const unknownTool = lineReader({
  tool: 'linter',
  messages: [
    /^ ?\[?(?<severity>[Ee]rror|ERROR|[Ww]arning|WARNING|[Ii]nfo|INFO|[Nn]ote|[Hh]int|[EWCR])\]?(?:: | - | )(?:\[?(?<code>[A-Z]{1,5}-?\d{2,5})\]?:? )?(?<message>.{1,500})$/,
    /^ ?\[?(?<code>[A-Z]{1,5}-?\d{2,5})\]?:? (?<message>.{1,500})$/,
    /^ ?(?<message>.{1,600})$/,
  ],
  place: isProse,
  sure: (output) => {
    const places = output.places()
    return places.filter((place) => isProse(place) && isSure(place)).length * 2 > places.length
  },
})

function isProse({ rest, path, indented }: Place): boolean {
  return (
    !indented && rest.indexOf(' ', 1) !== -1 && PROSE.test(rest) && !CODE.test(rest) && !NOT_SOURCE.test(path)
  )
}

function isSure({ rest, column }: Place): boolean {
  // A search result follows its colon at once; a message has one space.
  if (column !== undefined && /^ \S/.test(rest)) return true
  if (column !== undefined && /^[A-Z].{10,400}\.$/.test(rest)) return true
  return /^ \[[A-Z]{1,5}-?\d{0,5}\] /.test(rest) || /^ .{1,500} [[(][a-z][\w@./-]{2,60}[\])]$/.test(rest)
}
