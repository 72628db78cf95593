/** Exported names that two files define: each is one too many. A name that is not here fails, and so does one that is here and gone. */
export const TWO_THINGS: readonly string[] = [
  ...'Attempt Call ChangedFile Finding Found Line Lines Mark Page Place Project Report Row Rule'.split(' '),
  ...'Session Shown Span Step ask bytes claudeCode codex compact forget holds json linesOf'.split(' '),
  ...'listed observe openLog opencode packLog projectOf putBlob readBlob readIndex sweepBlobs'.split(' '),
  ...'unpackLog usageOf withMemory'.split(' '),
]
