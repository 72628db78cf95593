import { describe, it } from 'vitest'
import { memoryEngine } from '../../src/store/memory.ts'
import { storeSuite } from '../../src/testing/store-suite.ts'

storeSuite(
  {
    name: 'memoryStore',
    persistent: false,
    make: async () => ({ engine: memoryEngine(), dispose: async () => {} }),
  },
  { describe, it },
)
