/**
 * A store of your own: logs and blobs in a bucket of objects, as S3, R2 or GCS have them. All that is asked of the bucket
 * is to put an object only where there is none. The suite of `twotrack/testing` passes on it.
 * Run: node examples/own-store.ts
 */
import { randomUUID } from 'node:crypto'
import { link, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Memory, type Store, TwotrackError } from 'twotrack'
import { verifyLog } from 'twotrack/audit'
import {
  assertHead,
  type Engine,
  encodeId,
  headOfLine,
  type Lease,
  missingBlob,
  storeOver,
} from 'twotrack/store'

/** What a bucket can do. */
export interface Bucket {
  /** False when `onlyNew` and there is an object of that name. */
  put(key: string, bytes: Uint8Array, onlyNew?: boolean): Promise<boolean>
  get(key: string): Promise<Uint8Array | undefined>
  /** Names that begin with `prefix` and come after `after`, in order. */
  list(prefix: string, after: string, limit: number): Promise<string[]>
}

const LEASE_MS = 30_000
const PART_BYTES = 4 * 1024 * 1024
const LIST_LIMIT = 1_000
const LINE_FEED = Buffer.from('\n')

/** Everything of an object store; the rest (decoding, checks, filters, queues, tails) is `storeOver`'s. */
export const bucketStore = (bucket: Bucket): Store => storeOver(bucketEngine(bucket))

export function bucketEngine(bucket: Bucket): Engine {
  const logOf = (id: string) => `logs/${encodeId(id)}/`
  const numbered = (n: number) => String(n).padStart(12, '0')

  async function* names(prefix: string): AsyncGenerator<string> {
    for (let after = prefix; ; ) {
      const page = await bucket.list(prefix, after, LIST_LIMIT)
      yield* page
      if (page.length < LIST_LIMIT) return
      after = page.at(-1) ?? after
    }
  }
  async function lastName(prefix: string): Promise<string | undefined> {
    let last: string | undefined
    for await (const name of names(prefix)) last = name
    return last
  }
  /** The lines of one append: its object is named by the seq of the first of them. */
  async function linesIn(name: string): Promise<Uint8Array[]> {
    const bytes = Buffer.from((await bucket.get(name)) ?? [])
    const lines: Uint8Array[] = []
    for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
      end = bytes.indexOf(LINE_FEED, start)
      if (end === -1) end = bytes.length
      lines.push(bytes.subarray(start, end))
    }
    return lines
  }
  const firstSeq = (name: string) => Number(name.slice(-12))
  async function lastLine(id: string): Promise<Uint8Array | undefined> {
    const name = await lastName(logOf(id))
    return name === undefined ? undefined : (await linesIn(name)).at(-1)
  }

  return {
    kind: 'bucket',

    async append(id, lines, expected, lease) {
      if (lines.length === 0) return
      if (lease && (await newestLease(id))?.generation !== lease.generation)
        throw new TwotrackError('conflict', `Log ${id} was taken over by another writer. Open it again.`)
      const last = await lastLine(id)
      assertHead(id, last && headOfLine(last), expected)
      // Before the log itself: one that is known and has no lines is not listed, one that is not known never would be.
      if (!last) await bucket.put(`known/${encodeId(id)}`, new Uint8Array(0))
      const bytes = Buffer.concat(lines.flatMap((line) => [line.bytes, LINE_FEED]))
      // Whoever appends after the same line wants the same name, and one of them gets it.
      if (!(await bucket.put(logOf(id) + numbered(expected.seq + 1), bytes, true)))
        assertHead(id, { ...expected, seq: expected.seq + 1 }, expected)
    },

    async *read(id, { from, to }) {
      let before: string | undefined
      async function* linesFrom(name: string, seq = firstSeq(name)) {
        for (const bytes of await linesIn(name)) {
          if (seq >= from && seq <= to) yield { bytes, at: { row: name } }
          seq++
        }
      }
      for await (const name of names(logOf(id))) {
        if (before !== undefined && firstSeq(name) > from) yield* linesFrom(before)
        before = name
        if (firstSeq(name) > to) return
      }
      if (before !== undefined) yield* linesFrom(before)
    },

    async head(id) {
      const bytes = await lastLine(id)
      return bytes && { bytes }
    },

    async list(_filter, { after = 'known/', limit }) {
      const known = await bucket.list('known/', after, limit)
      const logs = []
      for (const name of known) {
        const folder = `logs/${name.slice('known/'.length)}/`
        const [first] = await linesIn(folder + numbered(1))
        if (first) logs.push({ first, isOf: (id: string) => logOf(id) === folder })
      }
      const last = known.at(-1)
      return { logs, ...(last !== undefined && known.length === limit ? { next: last } : {}) }
    },

    /** In parts, and at last under its digest a list of them: a stream is never held as a whole. */
    async putBlob(content, digest) {
      const upload = randomUUID()
      const parts: string[] = []
      let waiting: Uint8Array[] = []
      let bytes = 0
      const flush = async () => {
        parts.push(`parts/${upload}/${numbered(parts.length)}`)
        await bucket.put(parts.at(-1) ?? '', Buffer.concat(waiting))
        waiting = []
      }
      for await (const chunk of content instanceof Uint8Array ? [content] : content)
        for (let start = 0; start < chunk.length; ) {
          const room = PART_BYTES - (bytes % PART_BYTES)
          const piece = Buffer.from(chunk.subarray(start, start + room))
          waiting.push(piece)
          start += piece.length
          bytes += piece.length
          if (bytes % PART_BYTES === 0) await flush()
        }
      if (waiting.length > 0) await flush()
      await bucket.put(`blobs/${digest()}`, Buffer.from(JSON.stringify(parts)))
    },

    async *readBlob(digest, { from, to } = { from: 0, to: Number.POSITIVE_INFINITY }) {
      const found = await bucket.get(`blobs/${digest}`)
      if (!found) throw missingBlob(digest, 'this bucket')
      const parts: string[] = JSON.parse(Buffer.from(found).toString())
      for (const [i, name] of parts.entries()) {
        const start = i * PART_BYTES
        if (start >= to || start + PART_BYTES <= from) continue
        const part = (await bucket.get(name)) ?? new Uint8Array(0)
        yield part.subarray(Math.max(from - start, 0), to - start)
      }
    },

    /** An object for each generation says until when it counts; whoever puts the next one writes. */
    async lease(id) {
      const before = await newestLease(id)
      if (before && before.until > Date.now())
        throw new TwotrackError(
          'locked',
          `Log ${id} is being written by ${before.owner}. Wait until it is done.`,
        )
      const generation = (before?.generation ?? 0) + 1
      const name = `leases/${encodeId(id)}/${numbered(generation)}`
      const note = (until: number) =>
        Buffer.from(JSON.stringify({ generation, owner: `process ${process.pid}`, until }))
      if (!(await bucket.put(name, note(Date.now() + LEASE_MS), true)))
        throw new TwotrackError(
          'locked',
          `Log ${id} was just taken by another writer. Wait until it is done.`,
        )
      const renewing = setInterval(
        () => void bucket.put(name, note(Date.now() + LEASE_MS)),
        LEASE_MS / 3,
      ).unref()
      return {
        generation,
        async release() {
          clearInterval(renewing)
          await bucket.put(name, note(0))
        },
      } satisfies Lease
    },

    async close() {},
  }

  async function newestLease(
    id: string,
  ): Promise<{ generation: number; owner: string; until: number } | undefined> {
    const name = await lastName(`leases/${encodeId(id)}/`)
    const note = name === undefined ? undefined : await bucket.get(name)
    return note && JSON.parse(Buffer.from(note).toString())
  }
}

/** Stands for your bucket: files in a folder. */
export function folderBucket(folder: string): Bucket {
  return {
    async put(key, bytes, onlyNew = false) {
      const path = join(folder, key)
      const temporary = join(folder, `upload-${randomUUID()}`)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(temporary, bytes, { flush: true })
      try {
        if (onlyNew) await link(temporary, path)
        else await rename(temporary, path)
        return true
      } catch {
        return false
      } finally {
        await rm(temporary, { force: true })
      }
    },
    get: (key) => readFile(join(folder, key)).catch(() => undefined),
    async list(prefix, after, limit) {
      const files = await readdir(join(folder, prefix), { recursive: true, withFileTypes: true }).catch(
        () => [],
      )
      const names = files.flatMap((file) =>
        file.isFile() ? [join(file.parentPath, file.name).slice(folder.length + 1)] : [],
      )
      return names
        .filter((name) => name > after)
        .sort()
        .slice(0, limit)
    },
  }
}

if (import.meta.main) {
  const folder = await mkdtemp(join(tmpdir(), 'bucket-'))
  const store = bucketStore(folderBucket(folder))
  const memory = await Memory.open({ store, agentId: 'watched', goal: 'Be kept in a bucket.' })
  for (let turn = 0; turn < 3; turn++) await memory.startTurn()
  await memory.close()
  const kept = await store.head('watched')
  console.log(
    `event ${kept?.seq} is the last; ${(await verifyLog(store, 'watched', kept)).ok ? 'the log is whole' : 'no'}`,
  )
  await rm(folder, { recursive: true })
}
