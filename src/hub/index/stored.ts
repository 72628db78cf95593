/** The index on disk: one file that the next process begins from. Whatever is wrong with it, it is not used. */

import { closeSync, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isObject, tryParse } from '../../core/event/json.ts'
import { makeFolder, PRIVATE_FILE, temporaryBeside } from '../../files/disk.ts'
import { zstdCompressSync, zstdDecompressSync } from '../../files/zstd.ts'
import { CodeIndex, type KnownFile } from './code-index.ts'

/** Raised when what is stored or computed of a file changes: an index of another format is built anew. */
const FORMAT = 7
const INDEX_BYTES_MAX = 1024 * 1024 * 1024

/**
 * A line with the format and the file that it was made as; then two lines a file: what was seen of it with what it
 * mentions, and its nodes. One that came with a project is another file, and not believed.
 */
export function readStoredIndex(file: string): CodeIndex {
  if (file === '') return new CodeIndex()
  try {
    const opened = openSync(file, 'r')
    let packed: Buffer
    let made: number
    try {
      made = fstatSync(opened).ino
      packed = readFileSync(opened)
    } finally {
      closeSync(opened)
    }
    const text = zstdDecompressSync(packed, { maxOutputLength: INDEX_BYTES_MAX }).toString()
    const [first = '', ...lines] = text.split('\n')
    const head = tryParse(first)
    if (!isObject(head) || head['format'] !== FORMAT || head['made'] !== made) return new CodeIndex()
    const files: KnownFile[] = []
    for (let at = 0; at + 1 < lines.length; at += 2) {
      const { row, mentions } = JSON.parse(lines[at] ?? '')
      files.push({ row, mentions, nodes: lines[at + 1] ?? '' })
    }
    return new CodeIndex(files)
  } catch {
    return new CodeIndex()
  }
}

/** In one step: who reads it meanwhile sees all of the old or all of the new one. Where it can't be, nothing is stored. */
export function storeIndex(file: string, index: CodeIndex): void {
  if (file === '') return
  const temporary = temporaryBeside(file)
  try {
    makeFolder(dirname(file))
    const opened = openSync(temporary, 'wx', PRIVATE_FILE)
    try {
      const lines = [
        JSON.stringify({ format: FORMAT, made: fstatSync(opened).ino }),
        ...[...index.stored()].flatMap(({ row, mentions, nodes }) => {
          const text = typeof nodes === 'string' ? nodes : JSON.stringify([...nodes.named.values()])
          return [JSON.stringify({ row, mentions }), text]
        }),
      ]
      writeFileSync(opened, zstdCompressSync(lines.join('\n')))
    } finally {
      closeSync(opened)
    }
    renameSync(temporary, file)
  } catch {
    rmSync(temporary, { force: true })
  }
}
