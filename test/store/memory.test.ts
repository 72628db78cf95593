import { describe, it } from 'vitest'
import { memoryStore } from '../../src/store/memory.ts'
import { storeSuite } from '../../src/testing/store-suite.ts'

storeSuite(
  {
    name: 'memoryStore',
    persistent: false,
    make: async () => {
      const store = memoryStore()
      return { store, dispose: () => store.close() }
    },
  },
  { describe, it },
)
