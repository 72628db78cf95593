import { readFileSync } from 'node:fs'

/** Evaluates `'a' + 'b'.repeat(i*10000) + 'c'` without running it as code; what is repeated fills `chars`. */
export function attackText(source: string, chars: number): string {
  let text = ''
  for (const [, quoted = '', repeated] of source.matchAll(/'((?:[^'\\]|\\.)*)'(?:\.repeat\(([^)]*)\))?/g)) {
    const piece = quoted.replace(/\\n/g, '\n').replace(/\\t/g, '\t').replace(/\\(.)/g, '$1')
    text += repeated === undefined ? piece : piece.repeat(Math.ceil(chars / Math.max(1, piece.length)))
  }
  return text
}

/** The attack strings of a file with one `{"id", "attack_js"}` a line. */
export function attackTexts(path: string, chars: number): { id: string; text: string }[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { id, attack_js } = JSON.parse(line)
      return { id: String(id), text: attackText(String(attack_js), chars) }
    })
}
