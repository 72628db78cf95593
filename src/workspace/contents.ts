import { isUtf8 } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { BlobRef } from '../core/event/event.ts'
import type { FileContent } from '../core/event/file-content.ts'
import { encodeId } from '../core/store/encode-id.ts'
import { getBlob, type Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import { makeFolder, replaceFile } from '../files/disk.ts'
import { readRegular } from '../files/files.ts'
import { sha256 } from '../sha256.ts'
import type { Side } from './diff.ts'

const SALT_BYTES = 32

/** Where a log is, and where what it must not hold is: under `private/` in the folder of Twotrack's records. */
export interface ContentPlace {
  readonly store: Store
  readonly agentId: string
  readonly folder?: string
}

/** The files that an agent's log tells of: those with a secret in them are kept beside the log, the others as blobs. */
export class Contents {
  /** What was stored, as the event that tells of it names it. */
  readonly blobs: Record<string, BlobRef> = {}
  readonly #place: ContentPlace

  constructor(place: ContentPlace) {
    this.#place = place
  }

  /** Stores a content; it is on disk when this resolves. */
  async keep({ content, mode }: Side, isSecret: boolean): Promise<FileContent> {
    if (isSecret) return this.#keepSecret(content, mode)
    const ref = await this.#place.store.putBlob(content, isUtf8(content) ? 'text' : 'bytes')
    this.blobs[ref.sha256] = ref
    return { sha256: ref.sha256, bytes: ref.bytes, mode }
  }

  /** Undefined where it is not here: it was never stored, or holds a secret and stands beside the log elsewhere. */
  async load(content: FileContent): Promise<Side | undefined> {
    const bytes = content.secret ? await this.#readSecret(content) : await this.#readBlob(content)
    return bytes && { content: bytes, mode: content.mode }
  }

  async #keepSecret(content: Uint8Array, mode: Side['mode']): Promise<FileContent> {
    const salted = Buffer.concat([randomBytes(SALT_BYTES), content])
    const digest = sha256(salted)
    const file = this.#fileOf(digest)
    if (file === undefined)
      throw new TwotrackError('bad_argument', 'A content with a secret needs a folder beside the log.')
    makeFolder(join(file, '..'))
    await replaceFile(file, salted, true)
    return { sha256: digest, bytes: content.length, mode, secret: true }
  }

  async #readSecret(content: FileContent): Promise<Uint8Array | undefined> {
    const file = this.#fileOf(content.sha256)
    const salted = file === undefined ? undefined : await orAbsent(readRegular(file, file))
    return salted && sha256(salted) === content.sha256 ? salted.subarray(SALT_BYTES) : undefined
  }

  #readBlob(content: FileContent): Promise<Uint8Array | undefined> {
    return orAbsent(getBlob(this.#place.store, content.sha256))
  }

  #fileOf(digest: string): string | undefined {
    const { folder, agentId } = this.#place
    return folder === undefined ? undefined : join(secretsFolder(folder, agentId), digest)
  }
}

const secretsFolder = (folder: string, agentId: string): string =>
  join(resolve(folder), 'private', encodeId(agentId))

/** Of an agent whose log is not kept. */
export const removeSecrets = (folder: string, agentId: string): Promise<void> =>
  rm(secretsFolder(folder, agentId), { recursive: true, force: true })

/** What is in its place and no file of ours counts as not there; a blob that is damaged is told. */
async function orAbsent<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found
  } catch (thrown) {
    const isAbsent =
      thrown instanceof TwotrackError && ['missing', 'limit', 'bad_argument'].includes(thrown.code)
    if (isAbsent) return undefined
    throw thrown
  }
}
