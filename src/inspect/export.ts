import { createHash } from 'node:crypto'
import { recordedAnswers } from '../app/inspected/recorded.ts'
import { redactionOf } from '../app/redact.ts'
import type { ReadLogs } from './inspector.ts'
import { inPage, packed } from './pack.ts'
import { pageTexts } from './page-files.ts'

/** One file with the page and all of a run: it opens from disk, without a server and without a network. */
export async function exported(
  own: ReadLogs,
  id: string,
  { redact }: { readonly redact: boolean },
): Promise<Uint8Array> {
  const hide = redact ? await redactionOf({ pattern: undefined, secrets: true }) : undefined
  const answers = JSON.stringify([id, Object.fromEntries(await recordedAnswers(own, id, hide))])
  const texts = await pageTexts()
  const script = inScript(texts.get('app.js') ?? '')
  const style = (texts.get('app.css') ?? '').replace(NOT_ASCII, (unit) => `\\${hexOf(unit)} `)
  const policy = `default-src 'none'; script-src '${digest(script)}'; style-src '${digest(style)}'; img-src blob:; base-uri 'none'; form-action 'none'`
  return Buffer.concat([
    Buffer.from(
      '<!doctype html><html lang="en"><head><meta charset="windows-1252">' +
        `<meta http-equiv="content-security-policy" content="${policy}">` +
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">' +
        `<title>Twotrack</title><style>${style}</style></head><body><div id="app"></div>` +
        '<script type="text/plain" id="run">',
    ),
    inPage(packed(answers)),
    Buffer.from(`</script><script type="module">${script}</script></body></html>`),
  ])
}

/** The page is of one byte a character: what is not in every encoding is written by its number. */
const NOT_ASCII = /[\u0080-\uffff]/g
const hexOf = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, '0')

/** What would end a script inside it does not stand there. */
const inScript = (code: string): string =>
  code
    .replaceAll('</script', '<\\/script')
    .replaceAll('<!--', '<\\!--')
    .replace(NOT_ASCII, (unit) => `\\u${hexOf(unit)}`)

const digest = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`
