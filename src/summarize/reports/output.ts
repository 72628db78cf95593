import { withoutEscapes } from '../../text/escapes.ts'
import { type Place, readPlace } from './place.ts'

/** A tool's output prepared once for all readers: no escapes, bounded lines. */
export interface Output {
  /** Without terminal escapes, newlines as `\n`. */
  readonly text: string
  /** Each at most `LINE_CHARS_MAX` long, without the end of line. */
  readonly lines: readonly string[]
  /** The lines that begin with `path:line`, found on first use. */
  places(): readonly PlaceLine[]
}

export interface PlaceLine extends Place {
  /** Index into `lines`. */
  readonly at: number
}

/** What is matched of one line, in characters; the rest of a longer line is not looked at. */
const LINE_CHARS_MAX = 2_000

export function outputOf(raw: string): Output {
  return outputOfText(newlinesOnly(withoutEscapes(raw)))
}

/** Recognition looks at this much of an output's head, middle and tail each, in characters. */
const SAMPLE_CHARS = 16 * 1024
/** The same, in lines, where they are shorter than in any report. */
const SAMPLE_LINES = 500

/** A long output's head, middle and tail: what tells the tool that wrote it is there, and looking is cheap. */
export function sampleOf(output: Output): Output {
  const { text } = output
  if (text.length <= 4 * SAMPLE_CHARS) return output
  const middle = lineStart(text, text.length >> 1)
  const tail = lineStart(text, text.length - SAMPLE_CHARS)
  const parts = [
    firstLines(text.slice(0, SAMPLE_CHARS)),
    firstLines(text.slice(middle, middle + SAMPLE_CHARS)),
    lastLines(text.slice(tail)),
  ]
  return outputOfText(parts.join('\n').replace(/\n{3,}/g, '\n\n'))
}

function firstLines(text: string): string {
  let end = -1
  for (let line = 0; line < SAMPLE_LINES; line++) {
    end = text.indexOf('\n', end + 1)
    if (end === -1) return text
  }
  return text.slice(0, end)
}

function lastLines(text: string): string {
  let start = text.length
  for (let line = 0; line < SAMPLE_LINES; line++) {
    start = start === 0 ? -1 : text.lastIndexOf('\n', start - 1)
    if (start === -1) return text
  }
  return text.slice(start + 1)
}

/** The next line's start; the same place when none is near. */
function lineStart(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 || end > from + SAMPLE_CHARS ? from : end + 1
}

function outputOfText(text: string): Output {
  const lines = text.split('\n')
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]
    if (line !== undefined && line.length > LINE_CHARS_MAX) lines[i] = line.slice(0, LINE_CHARS_MAX)
  }
  let places: PlaceLine[] | undefined
  return {
    text,
    lines,
    places() {
      places ??= placesOf(lines)
      return places
    },
  }
}

/** `-:1` */
const PLACE_CHARS_MIN = 3

function placesOf(lines: readonly string[]): PlaceLine[] {
  const found: PlaceLine[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const place = line.length < PLACE_CHARS_MIN ? undefined : readPlace(line)
    if (place !== undefined) found.push({ ...place, at })
  }
  return found
}

function newlinesOnly(text: string): string {
  // A lone carriage return is a progress line being overwritten: its states are lines of their own.
  return text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text
}
