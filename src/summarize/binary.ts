/** Shorter runs of these characters may be names, hashes or keys. */
const RUN_CHARS_MIN = 400
/** Only a run's first character is tried: one pass. */
const RUN = new RegExp(
  String.raw`(?:data:(?<mime>[\w.+-]{1,40}/[\w.+-]{1,60})(?:;[\w=-]{1,40}){0,3},)?(?<![A-Za-z0-9+/])(?<run>[A-Za-z0-9+/]{${RUN_CHARS_MIN},}={0,2})`,
  'g',
)
const WRAPPED = /(?:^[A-Za-z0-9+/]{60,128}\n){6,}[A-Za-z0-9+/]{1,128}={0,2}$/gm
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

/** Text in which base64 is a line that says what it is: `[image/png, 53 KB]`. */
export function withoutBinary(text: string): string {
  if (text.length < RUN_CHARS_MIN) return text
  let found = false
  const named = (whole: string, run: string, mime: string | undefined): string => {
    if (!isBase64(run)) return whole
    found = true
    const kind = mime ?? KINDS.find(([start]) => run.startsWith(start))?.[1]
    return kind === undefined ? `[base64, ${sizeOf(run)}: ${run.slice(0, 40)}…]` : `[${kind}, ${sizeOf(run)}]`
  }
  const shorter = text
    .replace(RUN, (whole, ...rest) => {
      const { mime, run } = rest.at(-1) as { mime?: string; run: string }
      const at = rest.at(-3) as number
      return named(whole, run, mime ?? mimeNear(text, at, at + whole.length))
    })
    .replace(WRAPPED, (whole) => named(whole, whole.replaceAll('\n', ''), undefined))
  return found ? shorter.replace(BLOCK, '$1') : text
}

/** The type that a field beside it states. */
function mimeNear(text: string, from: number, to: number): string | undefined {
  const around = `${text.slice(Math.max(0, from - NEAR_CHARS), from)} ${text.slice(to, to + NEAR_CHARS)}`
  return /"(?:mimeType|media_type|mime_type|mime)"\s{0,4}:\s{0,4}"([\w.+-]{1,40}\/[\w.+-]{1,60})"/.exec(
    around,
  )?.[1]
}

const isBase64 = (run: string): boolean => {
  const start = run.slice(0, 2_000)
  return (
    /[a-z]/.test(start) && /[A-Z]/.test(start) && /\d/.test(start) && !/(.)\1{60}/.test(start.slice(0, 200))
  )
}

export function sizeOf(run: string): string {
  const bytes = Math.floor((run.length * 3) / 4)
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
