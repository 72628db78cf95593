import { canonical, type Json } from '../event/json.ts'
import type { Piece } from '../packet/measure.ts'
import { isNotes } from '../packet/notes.ts'
import type { Packet } from '../packet/packet.ts'
import { neutralLine, neutralText } from './sanitize.ts'

/** The packet as JSON, one field a line, empty fields left out; line breaks inside strings stay escaped. */
export function renderJson(packet: Packet): string {
  const fields: string[] = []
  for (const [name, value] of Object.entries(packet)) {
    if (!isEmpty(value)) fields.push(`${JSON.stringify(name)}:${text(shown(value))}`)
  }
  return `{${fields.join(',\n')}}`
}

/** What one piece adds to the JSON, with the separators it needs. */
export function pieceJson(piece: Piece): string {
  switch (piece.in) {
    case 'recent_actions':
      return `${text(shown(piece.action))},`
    case 'knowledge':
      return `${text(neutralLine(piece.key))}:${text(shown({ value: piece.value, source_turn: piece.source_turn }))},`
    case 'line':
      return `${text(shown([piece.line, piece.text]))},`
    case 'name':
      return `${text(neutral(piece.name))},`
    case 'text':
    case 'lines':
      return `${text(neutral(piece.text))},`
    case 'candidate_actions':
      return `${text(shown(piece.candidate))},`
    case 'json':
      return `${text(neutralLine(piece.name))}:${text(shown(piece.value))},`
  }
}

const text = (value: Json): string => canonical(value)
const neutral = (value: string): string => neutralText(value)
const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

/** Neutralises every string; notes are shown as their lines' text, numbered where the source has numbers. */
function shown(value: Json): Json {
  if (typeof value === 'string') return neutral(value)
  if (value === null || typeof value !== 'object') return value
  if (isNotes(value)) {
    const lines = value.lines.map(([line, content]) => (line > 0 ? `${line} ${content}` : content))
    return {
      about: neutral(value.about),
      ...(lines.length > 0 ? { lines: lines.map(neutral) } : {}),
      ...(value.names ? { names: value.names.map(neutral) } : {}),
    }
  }
  if (Array.isArray(value)) return value.map(shown)
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [neutralLine(key), shown(field)]))
}
