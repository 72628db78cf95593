/** `twotrack/testing`: what our own tests use. */

export { given, refused } from './given.ts'
export { type StoreFixture, type StoreSuiteOptions, storeSuite } from './store-suite.ts'
export { testSummarizer } from './summarizer.ts'
