import { openWorkspace } from '../../src/workspace/workspace.ts'

/** Accepts a workspace's changes in a process that a test can kill. */
const [project = '', folder = ''] = process.argv.slice(2)
const workspace = await openWorkspace({ project, folder, id: 'agent' })
console.log('begin')
await workspace.accept()
