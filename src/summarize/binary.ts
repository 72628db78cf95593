/** Shorter runs of these characters may be names, hashes or keys. */
const RUN_CHARS_MIN = 400
const KINDS: readonly (readonly [string, string])[] = [
  ['iVBOR', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['JVBER', 'application/pdf'],
]
const NEAR_CHARS = 200
/** A block of a protocol that holds nothing else: `{"type":"image","data":"[image/png, 53 KB]"}`. */
const BLOCK =
  /\{(?=[^{}\n]{0,200}"type")(?:[^{}\n"]|"(?!\[\w)[^"{}\n]{0,200}"){0,60}(?:\{[^{}\n]{0,300}?)?"(\[[\w.+-]{1,40}\/[\w.+-]{1,60}, [\d.]+ [KM]?B\])"[^{}\n]{0,200}\}{1,2}/g

/** Text in which base64 is a line that says what it is: `[image/png, 53 KB]`. One pass, by hand: a run may be huge. */
export function withoutBinary(text: string): string {
  let shorter = ''
  let done = 0
  for (let at = 0; at < text.length; at++) {
    if (!isBase64Char(text.charCodeAt(at))) continue
    const end = runEnd(text, at)
    if (end - at >= RUN_CHARS_MIN && isBase64(text.slice(at, at + 2_000))) {
      const before = text.slice(Math.max(done, at - NEAR_CHARS), at)
      const address = /data:([\w.+-]{1,40}\/[\w.+-]{1,60})(?:;[\w=-]{1,40}){0,3},$/.exec(before)
      const kind = address?.[1] ?? mimeIn(`${before} ${text.slice(end, end + NEAR_CHARS)}`)
      shorter += text.slice(done, at - (address?.[0].length ?? 0)) + runName(text.slice(at, end), kind)
      done = end
    }
    at = end
  }
  return done === 0 ? text : (shorter + text.slice(done)).replace(BLOCK, '$1')
}

/** The end of a run, with the signs that fill it up. */
function runEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && isBase64Char(text.charCodeAt(end))) end++
  for (let pads = 0; pads < 2 && end > from && text[end] === '='; pads++) end++
  return end
}

const isBase64Char = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 47 && code <= 57) || code === 43

/** The type that a field beside it states. */
const mimeIn = (around: string): string | undefined =>
  /"(?:mimeType|media_type|mime_type|mime)"\s{0,4}:\s{0,4}"([\w.+-]{1,40}\/[\w.+-]{1,60})"/.exec(around)?.[1]

/** Mixed as only encoded bytes are: words and paths are not. */
function isBase64(start: string): boolean {
  const repeated = /(.)\1{60}/.test(start.slice(0, 200))
  return !repeated && /[a-z]/.test(start) && /[A-Z]/.test(start) && /\d/.test(start)
}

function runName(run: string, stated: string | undefined): string {
  const kind = stated ?? KINDS.find(([start]) => run.startsWith(start))?.[1]
  return kind === undefined
    ? `[base64, ${byteSize(run)}: ${run.slice(0, 40)}…]`
    : `[${kind}, ${byteSize(run)}]`
}

function byteSize(run: string): string {
  const bytes = Math.floor((run.length * 3) / 4)
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
