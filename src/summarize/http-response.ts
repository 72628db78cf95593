/** An HTTP response as `curl -i`, `curl -v`, `wget -S` and HTTPie print it. */
export interface HttpResponse {
  readonly status: number
  readonly reason: string
  readonly body: string
}

const PREAMBLE_LINES_MAX = 200
const PREAMBLE_CHARS_MAX = 40_000
const STATUS = /^(?:< {0,2}| {0,4})HTTP\/\d(?:\.\d)? ([1-5]\d\d)(?: (.{0,80}))?$/
const HEADER = /^(?:< {0,2}| {0,4})([A-Za-z][\w-]{0,60}): ?(.{0,2000})$/
/** What curl says about its own work. */
const CURL_NOISE =
  /^(?:[*>] |[*>]$|[{}] \[\d+ bytes data\]|\s+% Total |\s+Dload |\s*\d+ +[\d.]+[kMG]? +\d+ |curl: \(\d+\) )/

/** The last response of an output (redirects and `100 Continue` come before it); undefined when it has none. */
export function readHttp(text: string): HttpResponse | undefined {
  if (!text.slice(0, PREAMBLE_CHARS_MAX).includes('HTTP/')) return undefined
  const lines = text.split('\n')
  let response: { status: number; reason: string } | undefined
  let at = 0
  let skipped = 0
  for (; at < lines.length && skipped < PREAMBLE_LINES_MAX; at++) {
    const line = (lines[at] ?? '').trimEnd()
    const status = STATUS.exec(line)
    if (status) {
      response = { status: Number(status[1]), reason: status[2]?.trim() ?? '' }
      at = headersEnd(lines, at + 1)
      const next = (lines[at + 1] ?? '').trimEnd()
      if (!STATUS.test(next) && !CURL_NOISE.test(next)) break
    } else if (line === '' || CURL_NOISE.test(line)) skipped++
    else if (response) break
    else return undefined
  }
  if (!response) return undefined
  const rest = lines.slice(at).filter((line) => !CURL_NOISE.test(line))
  return { ...response, body: rest.join('\n').trim() }
}

/** The empty line after the headers. */
function headersEnd(lines: readonly string[], from: number): number {
  for (let at = from; at < lines.length; at++) {
    const line = (lines[at] ?? '').trimEnd()
    if (line === '' || line === '<') return at
    if (!HEADER.test(line) && !CURL_NOISE.test(line)) return at - 1
  }
  return lines.length
}

/** The status that `curl -w '%{http_code}'` prints behind the body. */
export function trailingStatus(text: string): { status: number; body: string } | undefined {
  const trimmed = text.trimEnd()
  const start = Math.max(trimmed.lastIndexOf('\n'), trimmed.lastIndexOf('}'), trimmed.lastIndexOf(']')) + 1
  const match = /^\s*(?:http)?[\w /.-]{0,16}[:= ]{0,3}([1-5]\d\d)$/i.exec(trimmed.slice(start, start + 41))
  if (!match || start === 0) return undefined
  return { status: Number(match[1]), body: trimmed.slice(0, start).trim() }
}
