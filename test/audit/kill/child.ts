import { compact } from '../../../src/audit/compact/compact.ts'
import { answerEscalation } from '../../../src/run/answer.ts'
import { jsonlStore } from '../../../src/store/jsonl/jsonl.ts'
import { kvStore } from '../../../src/store/kv/kv.ts'

/** Does one thing to a folder; the process that starts it ends it in the middle. */
const [what = '', kind = '', folder = ''] = process.argv.slice(2)
const store = kind === 'kv' ? kvStore({ file: `${folder}/agent.db` }) : jsonlStore({ folder })
if (what === 'compact')
  await compact(store, {
    raw_days: 0,
    raw_bytes: null,
    keep_errors: true,
    archive_days: 0,
    dry_run: false,
    now_ms: Date.parse('2030-01-01'),
    unused_ms: -1,
  })
else await answerEscalation(store, 'failed', { text: 'Read the file first.' })
await store.close()
