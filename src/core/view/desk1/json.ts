import { sanitizeLine, sanitizeText } from '../../../text/sanitize.ts'
import { canonical, type Json } from '../../event/json.ts'
import type { Packet } from '../../packet/packet.ts'

/** The packet as JSON, one field a line, empty fields left out; line breaks inside strings stay escaped. */
export function renderJson(packet: Packet): string {
  const fields: string[] = []
  for (const [name, value] of Object.entries(packet)) {
    if (!isEmpty(value)) fields.push(`${JSON.stringify(name)}:${canonical(clean(value))}`)
  }
  return `{${fields.join(',\n')}}`
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

function clean(value: Json): Json {
  if (typeof value === 'string') return sanitizeText(value)
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(clean)
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => !isEmpty(field))
      .map(([key, field]) => [sanitizeLine(key), clean(field)]),
  )
}
