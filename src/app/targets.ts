import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import type { Agent, Target } from '../agent/agent.ts'
import { TwotrackError } from '../errors.ts'
import { findNodes } from '../nodes/find.ts'
import { type CodeNode, nodeSource } from '../nodes/node.ts'
import type { ParsedFile } from '../nodes/parse.ts'
import { isSourcePath } from '../nodes/source-path.ts'
import { codeSummary } from '../nodes/summary.ts'
import { nearest } from '../text/suggest.ts'
import type { Changed } from './changed.ts'
import type { Front } from './front.ts'
import type { Job } from './job.ts'

/** Of files that are too large, binary or unreadable, so many are named. */
const LEFT_OUT_TOLD_MAX = 5

/** A file or folder, or one node of a file: `src/app.py:App.run`. */
interface Place {
  readonly path: string
  readonly key?: string
}

/** Nodes under the paths that an agent works on, as jobs. What was named first goes first. */
export async function jobsFor(
  agent: Agent,
  project: string,
  paths: readonly string[],
  run: string,
  front: Pick<Front, 'note'>,
  changed?: Changed,
): Promise<Job[]> {
  const places = paths.map((path) => placeNamed(project, path))
  const found = changed
    ? changed.files.filter((file) => isSourcePath(file) && placeIn(places, file) >= 0)
    : places.map(({ path }) => path)
  const isByLine = agent.definition.node_types.some((type) => type !== 'file')
  const jobs: Job[] = []
  const taken = new Set<string>()
  const leftOut: string[] = []
  for await (const file of findNodes(project, found)) {
    if (file.nodes.length === 0) {
      leftOut.push(file.errors[0]?.message ?? `${file.path} has nothing to work on.`)
      continue
    }
    const bytes = await readFile(join(project, file.path))
    const touched = isByLine ? await changed?.linesOf(file.path) : undefined
    for (const node of chosenOf(file, places, agent)) {
      const named = isNamed(places, node)
      if (!takes(agent, node) && !named) continue
      const target = targetOf(node, bytes, file.nodes)
      if (!agent.definition.languages.includes(target.language)) continue
      if (touched?.every(([from, to]) => to < node.span.start_line || from > node.span.end_line)) continue
      const agent_id = uniqueId(agent.operation, node.key, run, taken)
      jobs.push({ agent, agent_id, target, isNamed: named, priority: -placeIn(places, file.path) })
    }
  }
  const more = leftOut.length - LEFT_OUT_TOLD_MAX
  for (const why of leftOut.slice(0, LEFT_OUT_TOLD_MAX)) front.note(`Left out: ${why}`)
  if (more > 0) front.note(`Left out: ${more} more.`)
  return jobs
}

/** A path as a person names it: of a file or folder, or a file's node by its key. */
function placeNamed(project: string, given: string): Place {
  const inside = (path: string) => (relative(project, resolve(path)) || '.').replaceAll('\\', '/')
  const colon = given.lastIndexOf(':')
  const file = given.slice(0, colon)
  if (existsSync(given) || colon < 1 || !existsSync(file)) return { path: inside(given) }
  return { path: inside(file), key: `${inside(file)}:${given.slice(colon + 1)}` }
}

const takes = ({ definition }: Agent, { type }: CodeNode): boolean => definition.node_types.includes(type)

const isNamed = (places: readonly Place[], { key }: CodeNode): boolean =>
  places.some((place) => place.key === key)

/** The nodes of a file that are meant: all, unless it was named by keys alone. An agent for files takes a part of one too. */
function chosenOf({ path, nodes }: ParsedFile, places: readonly Place[], agent: Agent): readonly CodeNode[] {
  const here = places.filter((place) => place.path === path)
  const keys = here.flatMap(({ key }) => key ?? [])
  if (keys.length === 0 || here.length > keys.length) return nodes
  return keys.map((key) => {
    const node = nodes.find((one) => one.key === key)
    const { node_types } = agent.definition
    if (node && (takes(agent, node) || node_types.includes('file'))) return node
    if (node)
      throw new TwotrackError(
        'bad_argument',
        `${agent.operation} works on nodes of the type ${node_types.join(', ')}, and ${key} is a ${node.type}.`,
      )
    const names = nodes.slice(1).map((one) => one.key)
    const meant = nearest(key, names)
    throw new TwotrackError(
      'missing',
      `${path} has no ${key.slice(path.length + 1)}${meant === undefined ? '' : `; did you mean ${meant}?`} It has: ${names.slice(0, 8).join(', ')}${names.length > 8 ? ', …' : ''}`,
    )
  })
}

export function targetOf(node: CodeNode, bytes: Uint8Array, nodes: readonly CodeNode[]): Target {
  return {
    file_path: node.path,
    language: node.language === 'tsx' ? 'typescript' : node.language,
    node: {
      id: node.key,
      type: node.type,
      name: node.name,
      text: Buffer.from(nodeSource(bytes, node.span)).toString('utf8'),
      summary: codeSummary(node, nodes),
    },
  }
}

/** Which of the places a file was found under. */
const placeIn = (places: readonly Place[], file: string): number =>
  places.findIndex(({ path }) => path === '.' || path === file || file.startsWith(`${path}/`))

/** Readable and short to type: the operation, the node, the run. A number where that leads to the same twice. */
function uniqueId(operation: string, node: string, run: string, taken: Set<string>): string {
  const name = node
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .slice(-80)
    .replace(/^-/, '')
  let id = `${operation}-${name}-${run}`
  for (let next = 2; taken.has(id); next++) id = `${operation}-${name}-${next}-${run}`
  taken.add(id)
  return id
}
