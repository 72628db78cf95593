import { z } from 'zod'

const digest = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().nonnegative()

/** A file: the event's blob of that digest has its bytes; a link's are the path it leads to. */
const fileContentSchema = z.strictObject({
  sha256: digest,
  bytes: count,
  mode: z.enum(['100644', '100755', '120000']),
  /** It holds a secret, so the blob is sealed with a key of whoever ran the agent: two of one content are not alike. */
  secret: z.literal(true).optional(),
})
export type FileContent = z.infer<typeof fileContentSchema>

/** One file that an agent proposes to change. */
export const proposedFileSchema = z.strictObject({
  path: z.string(),
  /** As it was when the agent began, and as the agent left it; null where there is no file. */
  before: fileContentSchema.nullable(),
  after: fileContentSchema.nullable(),
  /** A file with the same content that the agent removed. */
  renamed_from: z.string().optional(),
  /** Why it can't be taken: it is too large, its name holds a secret, or a text was taken out of it. */
  refused: z.string().optional(),
})
export type ProposedFile = z.infer<typeof proposedFileSchema>

/** What a person took of one. */
export const acceptedFileSchema = z.strictObject({
  path: z.string(),
  /** As proposed, merged with what changed in the project, some places of it, or changed by the person. */
  how: z.enum(['whole', 'merged', 'part', 'edited']),
  /** The project's file as it was, and as it was written; null where there is no file. */
  project: fileContentSchema.nullable(),
  written: fileContentSchema.nullable(),
  /** Of a part: the changed places that were taken, from 0, and what stays proposed. */
  places: z.array(count).optional(),
  left: fileContentSchema.optional(),
})
export type AcceptedFile = z.infer<typeof acceptedFileSchema>
