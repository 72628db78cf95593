/**
 * The data of each server-sent event, as the HTML standard reads a stream: lines end in CRLF, LF or CR, a blank line
 * ends an event, several `data` lines make one text, comments and other fields do not matter. Unlike a browser it
 * also gives the last event when its blank line is missing: some servers leave it out.
 */
export async function* eventData(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let data: string[] = []
  for await (const line of lines(chunks)) {
    if (line === 'data' || line.startsWith('data:')) data.push(line.slice('data:'.length).replace(/^ /, ''))
    else if (line === '' && data.length > 0) {
      yield data.join('\n')
      data = []
    }
  }
  if (data.length > 0) yield data.join('\n')
}

/** A line, a character and a CRLF may each be split between two chunks. */
async function* lines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let line = ''
  let afterReturn = false
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    if (text === '') continue
    const [first = '', ...others] = text.slice(afterReturn && text[0] === '\n' ? 1 : 0).split(/\r\n|\r|\n/)
    afterReturn = text.endsWith('\r')
    line += first
    for (const next of others) {
      yield line
      line = next
    }
  }
  yield line + decoder.decode()
}
