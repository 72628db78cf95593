import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import root from '@opentelemetry/otlp-transformer/build/src/generated/root.js'
import { expect, onTestFinished, test } from 'vitest'
import { imported, twotrack } from '../cli/run.ts'

/** The official message types: whatever they do not know or can't hold is an error. */
interface MessageType {
  fromObject(json: object): object
  encode(message: object): { finish(): Uint8Array }
  decode(bytes: Uint8Array): object
  toObject(message: object, options: object): object
}
const path = ['opentelemetry', 'proto', 'collector', 'trace', 'v1', 'ExportTraceServiceRequest']
// It was made from the protocol's own files, and has no types of its own.
const Request = path.reduce<unknown>((within, name) => Reflect.get(Object(within), name), root) as MessageType

interface Printed {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly PrintedSpan[] }[]
  }[]
}
interface PrintedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  startTimeUnixNano: string
  endTimeUnixNano: string
  status: { code?: number }
}
const spansIn = (text: string): PrintedSpan[] =>
  text
    .trim()
    .split('\n')
    .flatMap((line) =>
      (JSON.parse(line) as Printed).resourceSpans.flatMap((one) =>
        one.scopeSpans.flatMap(({ spans }) => spans),
      ),
    )

test('a log is spans of the agent, its answers and its calls, as the official protocol has them, the same each time', async () => {
  const cwd = await imported()
  const { stdout } = await twotrack(cwd, ['export', '--format', 'otlp', 'import-trajectory'])
  const spans = spansIn(stdout)
  expect(spans.map(({ name }) => name).filter((name) => name.startsWith('execute_tool'))).toHaveLength(10)
  expect(spans[0]?.name).toBe('invoke_agent import')
  const ids = new Set(spans.map(({ spanId }) => spanId))
  expect(ids.size).toBe(spans.length)
  const orphans = spans.slice(1).filter(({ parentSpanId = '' }) => !ids.has(parentSpanId))
  expect(orphans).toEqual([])
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
  for (const { spanId, traceId, startTimeUnixNano, endTimeUnixNano } of spans) {
    expect(spanId).toMatch(/^[0-9a-f]{16}$/)
    expect(traceId).toMatch(/^[0-9a-f]{32}$/)
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano))
  }
  const request = JSON.parse(stdout)
  const read = Request.decode(Request.encode(Request.fromObject(request)).finish())
  const kept = Request.toObject(read, { longs: String, bytes: String })
  expect(kept).toEqual(request)
  expect((await twotrack(cwd, ['export', '--format', 'otlp', 'import-trajectory'])).stdout).toBe(stdout)
})

test('spans are sent to the address that was given, and what it answers is told', async () => {
  const cwd = await imported()
  const received: string[] = []
  let status = 200
  const receiver = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push(`${request.headers['content-type']} ${body}`)
    response.writeHead(status).end('{}')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void receiver.close())
  await new Promise((resolve) => receiver.once('listening', resolve))
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/v1/traces`
  const send = (...more: string[]) =>
    twotrack(cwd, ['export', 'import-trajectory', '--format', 'otlp', ...more])
  expect(await send('--to', url)).toMatchObject({ code: 0, stdout: '' })
  expect(received).toHaveLength(1)
  expect(received[0]).toMatch(/^application\/json \{"resourceSpans"/)
  status = 503
  expect((await send('--to', url)).stderr).toContain('answered 503')
  expect((await send('--to', 'collector')).stderr).toContain('is no address of a receiver')
  expect((await twotrack(cwd, ['export', 'import-trajectory', '--to', url])).stderr).toContain(
    '--format otlp',
  )
})
