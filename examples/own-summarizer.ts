/**
 * A summarizer for a tool of your own: what the next decision needs, out of an output that is mostly noise.
 * Run: node examples/own-summarizer.ts
 */
import { defineSummarizer, Memory, memoryStore } from 'twotrack'

/** `kubectl get pods`: only pods that are not well matter. */
const pods = defineSummarizer({
  name: 'kubectl-pods',
  summarize({ text }) {
    const [head, ...rows] = text.trim().split('\n')
    if (!head?.startsWith('NAME')) return undefined // not mine: the next summarizer is asked
    const sick = rows.filter((row) => !row.includes(' Running '))
    const names = sick.map((row) => row.split(' ', 1)[0] ?? '')
    return {
      summary:
        sick.length === 0
          ? `All ${rows.length} pods run.`
          : `${sick.length} of ${rows.length} pods do not run.`,
      outcome: sick.length === 0 ? 'success' : 'partial',
      output: [head, ...sick].join('\n'),
      diagnostics: [null, ...names.map((name) => `${name} does not run`)],
    }
  },
})

const store = memoryStore()
const memory = await Memory.open({
  store,
  agentId: 'on-call',
  goal: 'Find out why checkout is slow.',
  summarizers: { get_pods: pods },
})
await memory.startTurn()
const call = await memory.recordCall({ tool: 'get_pods', args: { namespace: 'shop' }, effect: 'pure' })
const rows = Array.from({ length: 40 }, (_, at) => `web-${at}      1/1   Running            0    3d`)
rows.push('checkout-7f   0/1   CrashLoopBackOff   12   3d')
await memory.recordResult({ call, returned: ['NAME READY STATUS RESTARTS AGE', ...rows].join('\n') })

console.log((await memory.prompt()).text)
await memory.close()
