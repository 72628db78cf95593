import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Generous: a machine that is busy with other work must not make a test fail.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    coverage: {
      provider: 'v8',
      include: ['src/{text,event,packet,view,prompt,summarize}/**/*.ts'],
      reporter: ['text', 'text-summary'],
    },
  },
})
