import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { getBlob } from '../../core/store/store.ts'
import { sha256 } from '../../sha256.ts'
import { collect, hasCode, type StoreCases } from './case.ts'

const CHUNK_BYTES = 64 * 1024
const CHUNKS = 256

export const blobCases: StoreCases = {
  'gives back the bytes of a blob': async ({ store }) => {
    const contents = [
      new Uint8Array(0),
      Uint8Array.from({ length: 256 }, (_, i) => i),
      Buffer.from('text with é, 🙂 and \u0000'),
      new Uint8Array(1_000_000),
    ]
    for (const content of contents) {
      const ref = await store.putBlob(content, 'bytes')
      assert.deepEqual(ref, { sha256: sha256(content), bytes: content.length, media: 'bytes' })
      assert.ok(Buffer.from(content).equals(await getBlob(store, ref.sha256)))
    }
  },
  'stores the same bytes once, whatever their media and form': async ({ store }) => {
    const content = Buffer.from('{"a":1}')
    const refs = [
      await store.putBlob(content, 'json'),
      await store.putBlob(content, 'text'),
      await store.putBlob(stream([content.subarray(0, 3), content.subarray(3)]), 'bytes'),
    ]
    assert.equal(new Set(refs.map((ref) => ref.sha256)).size, 1)
    assert.deepEqual(
      refs.map((ref) => [ref.media, ref.bytes]),
      [
        ['json', 7],
        ['text', 7],
        ['bytes', 7],
      ],
    )
    assert.ok(content.equals(await getBlob(store, sha256(content))))
  },
  'streams a large blob in and out': async ({ store }) => {
    const digest = createHash('sha256')
    const ref = await store.putBlob(
      noise((chunk) => digest.update(chunk)),
      'bytes',
    )
    assert.equal(ref.sha256, digest.digest('hex'))
    assert.equal(ref.bytes, CHUNK_BYTES * CHUNKS)
    const back = createHash('sha256')
    for await (const chunk of store.readBlob(ref.sha256)) back.update(chunk)
    assert.equal(back.digest('hex'), ref.sha256)
  },
  'keeps nothing of a stream that fails': async ({ store }) => {
    const failing = async function* () {
      yield Buffer.from('half')
      throw new Error('the source is gone')
    }
    await assert.rejects(store.putBlob(failing(), 'text'), /the source is gone/)
    await assert.rejects(getBlob(store, sha256('half')), hasCode('missing'))
    assert.deepEqual(await store.check(), [])
  },
  'says that a blob is missing, also when asked with something that is no digest': async ({ store }) => {
    for (const digest of [sha256('never stored'), '', '..', '../../etc/passwd', 'A'.repeat(64)]) {
      await assert.rejects(collect(store.readBlob(digest)), hasCode('missing'))
    }
  },
  'takes many blobs at once, equal ones among them': async ({ store }) => {
    const contents = Array.from({ length: 40 }, (_, i) => Buffer.from(`content ${i % 10}`.repeat(100)))
    const refs = await Promise.all(contents.map((content) => store.putBlob(content, 'text')))
    for (const [i, ref] of refs.entries()) {
      assert.deepEqual(Buffer.from(await getBlob(store, ref.sha256)), contents[i])
    }
    assert.deepEqual(await store.check(), [])
  },
}

async function* stream(chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* chunks
}

/** Bytes that do not compress (an xorshift generator), made as they are asked for. */
async function* noise(seen: (chunk: Uint8Array) => void): AsyncIterable<Uint8Array> {
  let state = 0x9e3779b9
  for (let i = 0; i < CHUNKS; i++) {
    const words = new Int32Array(CHUNK_BYTES / 4)
    for (let at = 0; at < words.length; at++) {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      words[at] = state
    }
    const chunk = new Uint8Array(words.buffer)
    seen(chunk)
    yield chunk
  }
}
