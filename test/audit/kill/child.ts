import { answerAll, compactAll, redactAll, storeIn } from './folder.ts'

/** Does one thing to a folder; the process that starts it ends it in the middle. */
const [what = '', kind = '', folder = ''] = process.argv.slice(2)
const store = storeIn(kind, folder)
if (what === 'compact') await compactAll(store, folder)
else if (what === 'redact') await redactAll(store, folder)
else await answerAll(store)
await store.close()
