/** A part of an event, and the bytes in it that are pointed at. */
export interface Pointed {
  readonly seq: number
  readonly part: string
  readonly marks: readonly (readonly [number, number])[]
}

/** `42.raw_output.120-180`: event, part, bytes. */
export function seeIn(text: string | null): Pointed | undefined {
  const [, seq, part, from, to] = /^(\d+)\.([^.]+)(?:\.(\d+)-(\d+))?$/.exec(text ?? '') ?? []
  if (seq === undefined || part === undefined) return undefined
  return { seq: Number(seq), part, marks: from === undefined ? [] : [[Number(from), Number(to)]] }
}

export const seeText = (seq: number, part: string, mark?: readonly [number, number]): string =>
  `${seq}.${part}${mark ? `.${mark[0]}-${mark[1]}` : ''}`
