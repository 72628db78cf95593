/** Exported names that two files define: each is one too many. A name that is not here fails, and so does one that is here and gone. */
export const TWO_THINGS: readonly string[] = [
  ...'AgentPage Answer Asked Attempt Begun Call ChangedFile Finding Found ImportedFile Line'.split(' '),
  ...'Lines Mark Page Place Problem Project Recorded Redacted Report Row Rule Section Seen'.split(' '),
  ...'ServerOptions Session Shown Span Step WhatIf ask bytes claudeCode codex compact count'.split(' '),
  ...'decide forget goalOf holds isWithin json linesOf listed merged namesIn observe openLog'.split(' '),
  ...'opencode packLog projectOf putBlob readBlob readIndex refusalOf shown sourceOf stretches'.split(' '),
  ...'sweepBlobs unpackLog usageOf withMemory'.split(' '),
]
