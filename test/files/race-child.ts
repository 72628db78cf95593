/** Swaps a folder for a link that leads out of the workspace and back, until it is told to end. */
import { renameSync, rmSync, symlinkSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

const { folder, outside }: { folder: string; outside: string } = workerData
let ended = false
parentPort?.on('message', () => {
  ended = true
})
const tried = (work: () => void) => {
  try {
    work()
  } catch {
    // Who writes at that moment may have made a folder of that name.
  }
}
function swap(): void {
  for (let times = 0; times < 50; times++) {
    tried(() => renameSync(folder, `${folder}-aside`))
    tried(() => symlinkSync(outside, folder))
    tried(() => rmSync(folder, { recursive: true, force: true }))
    tried(() => renameSync(`${folder}-aside`, folder))
  }
  if (ended) parentPort?.close()
  else setImmediate(swap)
}
parentPort?.postMessage('begun')
swap()
