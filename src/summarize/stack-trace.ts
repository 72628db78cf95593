export interface StackTrace {
  readonly language: string
  readonly error: string
  readonly frames: readonly StackFrame[]
}
export interface StackFrame {
  readonly path: string
  readonly line: number
  readonly symbol?: string
}
export function readStackTraces(_text: string): readonly StackTrace[] {
  return []
}
