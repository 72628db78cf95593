import { acceptProposal } from '../../src/run/accept.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'

/** Accepts what an agent proposes in a process that a test can kill. */
const [project = '', folder = ''] = process.argv.slice(2)
const store = jsonlStore({ folder })
console.log('begin')
await acceptProposal({ store, project, agentId: 'agent' })
await store.close()
