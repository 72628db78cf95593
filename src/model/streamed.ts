import { isObject, tryParse } from '../core/event/json.ts'

/**
 * What a server sent, with every text in it passed through `hide`. Of server-sent events the parts of a text are passed
 * as one, since a secret may come in parts: where that finds something, the first event gets the whole and the others
 * nothing.
 */
export function hideStreamed(completion: string, hide: (text: string) => string): string {
  const plain = hide(completion)
  if (!/^(?:data|event|id|retry)?:/m.test(completion)) return plain
  const lines = plain.split('\n')
  const events = lines.map((line) => (line.startsWith('data:') ? tryParse(line.slice(5)) : undefined))
  const parts = new Map<string, string>()
  for (const event of events)
    eachText(event, '', (path, text) => parts.set(path, (parts.get(path) ?? '') + text))
  const found = new Map(
    [...parts].flatMap(([path, text]) => (hide(text) === text ? [] : [[path, hide(text)]])),
  )
  if (found.size === 0) return plain
  return lines
    .map((line, at) =>
      isObject(events[at]) ? `data: ${JSON.stringify(withTexts(events[at], '', found))}` : line,
    )
    .join('\n')
}

function eachText(value: unknown, path: string, found: (path: string, text: string) => void): void {
  if (typeof value === 'string') found(path, value)
  else if (typeof value === 'object' && value !== null)
    for (const [key, field] of Object.entries(value)) eachText(field, `${path}/${key}`, found)
}

/** Each text is taken where its path is met first. */
function withTexts(value: unknown, path: string, found: Map<string, string>): unknown {
  if (typeof value === 'string') {
    const text = found.get(path)
    if (text !== undefined) found.set(path, '')
    return text ?? value
  }
  if (Array.isArray(value)) return value.map((item, at) => withTexts(item, `${path}/${at}`, found))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, withTexts(field, `${path}/${key}`, found)]),
  )
}
