import { StringDecoder } from 'node:string_decoder'
import { TwotrackError } from '../errors.ts'

/** Lines of a stream as they come. One that is longer than the limit ends the connection: what follows it is unknown. */
export async function* eachLine(chunks: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let rest: string[] = []
  let size = 0
  for await (const chunk of chunks) {
    const [first = '', ...others] = decoder.write(Buffer.from(chunk)).split('\n')
    rest.push(first)
    size += first.length
    if (size > bytesMax) throw new TwotrackError('limit', `A message has more than ${bytesMax} characters.`)
    for (const next of others) {
      yield rest.join('')
      rest = [next]
      size = next.length
    }
  }
  if (size > 0) yield rest.join('')
}
