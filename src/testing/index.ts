export { type Given, type GivenRun, given, refused, type Then } from './given.ts'
export { type StoreFixture, type StoreSuiteOptions, storeSuite, type TestRunner } from './store-suite.ts'
export { type SeenCall, testSummarizer } from './summarizer.ts'
