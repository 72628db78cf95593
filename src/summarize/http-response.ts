/** An HTTP response as `curl -i` prints it. */
export interface HttpResponse {
  readonly status: number
  readonly reason: string
  readonly body: string
}

const HEAD =
  /^\s{0,9}HTTP\/\d(?:\.\d)? ([1-5]\d\d)(?: (.{0,80}))?\n(?:[A-Za-z][\w-]{0,60}:.{0,2000}\n){0,200}(?:\n|$)/

/** The last response of an output (redirects and `100 Continue` come before it); undefined when it has none. */
export function readHttp(text: string): HttpResponse | undefined {
  let response: HttpResponse | undefined
  let body = `${text}\n`
  for (let head = HEAD.exec(body); head; head = HEAD.exec(body)) {
    body = body.slice(head[0].length)
    response = { status: Number(head[1]), reason: head[2]?.trim() ?? '', body: body.trim() }
  }
  return response
}
