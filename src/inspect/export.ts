import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { recordedAnswers } from '../app/inspected/recorded.ts'
import { redactionOf } from '../app/redact.ts'
import type { ReadLogs } from './inspector.ts'
import { Packer } from './pack.ts'
import { pageTexts } from './page-files.ts'

/** One file with the page and all of a run: it opens from disk, without a server and without a network. */
export async function exported(
  own: ReadLogs,
  id: string,
  { redact }: { readonly redact: boolean },
): Promise<Uint8Array> {
  const hide = redact ? await redactionOf({ pattern: undefined, secrets: true }) : undefined
  const packer = new Packer()
  const root = packer.add([id, Object.fromEntries(await recordedAnswers(own, id, hide))])
  const packed = gzipSync(JSON.stringify([root, packer.nodes]), { level: 9 })
  const texts = await pageTexts()
  const script = inScript(texts.get('app.js') ?? '')
  const style = texts.get('app.css') ?? ''
  const policy = `default-src 'none'; script-src '${digest(script)}'; style-src '${digest(style)}'; img-src blob:; base-uri 'none'; form-action 'none'`
  return Buffer.from(
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
      `<meta http-equiv="content-security-policy" content="${policy}">` +
      '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">' +
      `<title>Twotrack</title><style>${style}</style></head><body><div id="app"></div>` +
      `<script type="text/plain" id="run">${packed.toString('base64')}</script>` +
      `<script type="module">${script}</script></body></html>`,
  )
}

/** What would end a script inside it does not stand there. */
const inScript = (code: string): string =>
  code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--')

const digest = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`
