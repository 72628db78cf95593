import { describe, expect, test } from 'vitest'
import { eachName, specificNames, wordsOf } from '../../src/text/names.ts'

describe('names in text', () => {
  const names = (text: string): string[] => {
    const found: string[] = []
    eachName(text, (name) => found.push(name))
    return found
  }

  test('a path is one name and does not take the numbers after it', () => {
    expect(names('src/app/main.ts lines 10-40')).toEqual(['src/app/main.ts', 'lines', '10', '40'])
  })

  test('a name ends before trailing punctuation', () => {
    expect(names('see config.yaml, and main.ts.')).toEqual(['config.yaml', 'main.ts'])
  })

  test('plain words are not specific; structure is', () => {
    expect(specificNames('the palette uses loadPalette, palette_key and HTTP')).toEqual([
      'loadpalette',
      'palette_key',
      'http',
    ])
  })

  test('words of a name are split at capitals and joints', () => {
    expect(wordsOf('loadPaletteFile')).toEqual(['load', 'palette', 'file'])
  })
})
