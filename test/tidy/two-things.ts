/** Exported names that two files define: each is one too many. A name that is not here fails, and so does one that is here and gone. */
export const TWO_THINGS: readonly string[] = [
  ...'Answer Asked Attempt Begun Call ChangedFile Finding Found ImportedFile Line Lines Mark'.split(' '),
  ...'Page Place Problem Project Redacted Report Row Rule Section Session Shown Span Step ask'.split(' '),
  ...'bytes claudeCode codex compact decide forget goalOf holds isWithin json linesOf listed'.split(' '),
  ...'merged namesIn observe openLog opencode packLog projectOf putBlob readBlob readIndex'.split(' '),
  ...'shown sourceOf sweepBlobs unpackLog usageOf withMemory'.split(' '),
]
