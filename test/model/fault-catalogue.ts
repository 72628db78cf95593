import type { ModelFault } from '../../src/model/model.ts'
import type { Reply } from './fault-server.ts'
import * as reply from './replies.ts'

/** How a fault is acted out, and what an attempt must come to. */
export interface FaultCase {
  readonly fault: string
  readonly replies: readonly [Reply, ...Reply[]]
  readonly outcome: 'answer' | readonly ModelFault['kind'][]
  /** Only a streamed answer can fail like this. */
  readonly streamOnly?: true
}

const CALL = { tool: 'get_current_weather', args: { location: 'Tokyo, JP' } }
const good = reply.says({ calls: [CALL] })
const utf8 = Buffer.from(`data: ${JSON.stringify(reply.chunk({ content: 'Grüße aus 東京' }))}\n\n`)
const piece = (index: number | undefined, call: object) => ({
  tool_calls: [{ ...(index === undefined ? {} : { index }), ...call }],
})
const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`
const started = event(
  reply.chunk(piece(0, { id: 'a', function: { name: CALL.tool, arguments: '{"location":"Tok' } })),
)

/**
 * The faults that a server can act out over an open connection, by the numbers of the list of faults. The rest
 * (refused, no such host, bad certificate, clock, killed) need more than a reply.
 */
export const faultCases: Readonly<Record<string, FaultCase>> = {
  M03: { fault: 'reset before headers', replies: [reply.reset], outcome: ['unreachable'] },
  M05: { fault: 'never answers', replies: [reply.silence], outcome: ['timeout'] },
  M06: { fault: 'slow drip', replies: [reply.drip], outcome: ['timeout'] },
  M07: {
    fault: '429 with Retry-After in seconds',
    replies: [reply.error(429, 'slow down', { 'retry-after': '2' })],
    outcome: ['rate_limited'],
  },
  M08: {
    fault: '429 with Retry-After as a far date',
    replies: [reply.error(429, 'slow down', { 'retry-after': 'Fri, 31 Dec 2100 23:59:59 GMT' })],
    outcome: ['rate_limited'],
  },
  M09: { fault: '500 once', replies: [reply.error(500, 'oops'), good], outcome: ['server_error'] },
  M10: {
    fault: '503 for a minute',
    replies: [reply.error(503, 'loading the model', { 'retry-after': '60' })],
    outcome: ['server_error'],
  },
  M11: {
    fault: '401',
    replies: [reply.error(401, 'bad key'), reply.error(403, 'no')],
    outcome: ['unauthorized'],
  },
  M12: {
    fault: '400 context length exceeded',
    replies: [reply.error(400, 'maximum context length is 512 tokens', {}, 'context_length_exceeded')],
    outcome: ['rejected'],
  },
  M13: {
    fault: 'HTML',
    replies: [reply.raw('<html><body>Login</body></html>', { 'content-type': 'text/html' })],
    outcome: ['bad_answer'],
  },
  M14: { fault: 'empty body', replies: [reply.raw('')], outcome: ['bad_answer', 'truncated'] },
  M15: {
    fault: 'truncated JSON',
    replies: [
      reply.raw(JSON.stringify(reply.chatBody({ calls: [CALL] })).slice(0, 120), {
        'content-type': 'application/json',
      }),
    ],
    outcome: ['bad_answer'],
  },
  M16: {
    fault: 'cut inside a UTF-8 character',
    replies: [reply.cut([utf8.subarray(0, utf8.indexOf(0xe6) + 1)]), reply.sse([utf8.subarray(0, 100)])],
    outcome: ['truncated', 'bad_answer'],
    streamOnly: true,
  },
  M17: {
    fault: 'cut inside an argument',
    replies: [reply.cut([started]), reply.sse([started])],
    outcome: ['truncated'],
    streamOnly: true,
  },
  M18: {
    fault: 'no [DONE]',
    replies: [reply.sse(reply.chunksOf({ calls: [CALL] }).slice(0, -1))],
    outcome: 'answer',
    streamOnly: true,
  },
  M19: {
    fault: 'comments, CRLF and data over several lines',
    replies: [
      reply.sse([
        ': keep-alive\r\n\r\n',
        ...reply
          .chunksOf({ calls: [CALL] })
          .map((part) => part.replace('"choices"', '\ndata: "choices"').replaceAll('\n', '\r\n')),
      ]),
    ],
    outcome: 'answer',
    streamOnly: true,
  },
  M20: {
    fault: 'error object after partial content',
    replies: [
      reply.sse([event(reply.chunk({ content: 'I w' })), event({ error: { message: 'out of memory' } })]),
    ],
    outcome: ['server_error'],
    streamOnly: true,
  },
  M21: {
    fault: 'indexes repeated and out of order',
    replies: [
      reply.sse([
        event(reply.chunk(piece(1, { id: 'b', function: { name: CALL.tool, arguments: '{"location":' } }))),
        event(
          reply.chunk(piece(0, { id: 'a', function: { name: CALL.tool, arguments: '{"location":"A"' } })),
        ),
        event(reply.chunk(piece(1, { function: { arguments: '"B"}' } }))),
        event(reply.chunk(piece(0, { function: { arguments: '}' } }))),
        event(
          reply.chunk(piece(0, { id: 'c', function: { name: CALL.tool, arguments: '{"location":"C"}' } })),
        ),
        event(reply.chunk({}, 'tool_calls')),
      ]),
    ],
    outcome: 'answer',
    streamOnly: true,
  },
  M22: {
    fault: 'unknown tool',
    replies: [reply.says({ calls: [{ tool: 'rm_rf', args: {} }] })],
    outcome: 'answer',
  },
  M23: {
    fault: 'arguments that are not JSON, with extra text, JSON in JSON',
    replies: [
      reply.says({
        calls: [
          { tool: CALL.tool, args: '{location: Tokyo' },
          { tool: CALL.tool, args: '{"location":"Tokyo"} as you asked' },
          { tool: CALL.tool, args: JSON.stringify('{"location":"Tokyo"}') },
        ],
      }),
    ],
    outcome: 'answer',
  },
  M24: {
    fault: 'arguments with __proto__, of 1 MB, 10 000 deep',
    replies: [
      reply.says({
        calls: [
          { tool: CALL.tool, args: '{"__proto__":{"admin":true},"location":"x"}' },
          { tool: CALL.tool, args: { location: 'x'.repeat(1024 * 1024) } },
          { tool: CALL.tool, args: `{"location":${'['.repeat(10_000)}${']'.repeat(10_000)}}` },
        ],
      }),
    ],
    outcome: 'answer',
  },
  M25: {
    fault: 'length in the middle of arguments',
    replies: [
      (exchange) =>
        exchange.path.endsWith('/chat/completions')
          ? reply.says({ calls: [{ tool: CALL.tool, args: '{"location":"To' }], finish: 'length' })(exchange)
          : reply.says({ text: `<start_function_call>call:f{location:<escape>To`, finish: 'length' })(
              exchange,
            ),
    ],
    outcome: ['truncated'],
  },
  M26: {
    fault: 'finish reason null or unknown',
    replies: [reply.says({ calls: [CALL], finish: null }), reply.says({ calls: [CALL], finish: 'eos' })],
    outcome: 'answer',
  },
  M27: { fault: 'no choice', replies: [reply.says({ text: 'x', choices: 0 })], outcome: ['bad_answer'] },
  M28: {
    fault: 'refusal',
    replies: [
      reply.says({ text: '', message: { refusal: 'I cannot help with that.' }, finish: 'content_filter' }),
    ],
    outcome: 'answer',
  },
  M29: { fault: '100 MB', replies: [reply.flood(100 * 1024 * 1024)], outcome: ['bad_answer'] },
  M30: { fault: 'gzip bomb', replies: [reply.bomb], outcome: ['bad_answer'] },
  M31: {
    fault: 'redirects',
    replies: [
      reply.redirect('http://127.0.0.2:9/v1/chat/completions'),
      reply.redirect('file:///etc/passwd'),
      reply.redirect(({ path }) => path),
    ],
    outcome: ['rejected'],
  },
  M32: { fault: 'same answer for ever', replies: [good, good, good], outcome: 'answer' },
  M33: {
    fault: 'usage missing or negative',
    replies: [
      reply.says({ calls: [CALL], usage: undefined }),
      reply.says({ calls: [CALL], usage: { prompt_tokens: -1, completion_tokens: 'many' } }),
    ],
    outcome: 'answer',
  },
  M34: {
    fault: 'another model answers',
    replies: [reply.says({ calls: [CALL], model: 'other' })],
    outcome: 'answer',
  },
}
