import { signal } from '@preact/signals'

/** What the address says is to be seen. */
export interface Route {
  /** Undefined for the list. */
  readonly agent?: string
  readonly turn?: number
  readonly query: URLSearchParams
}

export const route = signal<Route>(read())

function read(): Route {
  const [path = '', text = ''] = location.hash.slice(1).split('?', 2)
  const query = new URLSearchParams(text)
  // It is taken out of the address (api.ts), and is not to come back with what is read here.
  query.delete('token')
  const [, what, id, , turn] = path.split('/')
  if (what !== 'agent' || id === undefined) return { query }
  const number = Number(turn)
  return {
    agent: decodeURIComponent(id),
    query,
    ...(turn !== undefined && number >= 0 ? { turn: number } : {}),
  }
}

addEventListener('hashchange', () => {
  route.value = read()
})

export const agentPath = (id: string, turn?: number): string =>
  `#/agent/${encodeURIComponent(id)}${turn === undefined ? '' : `/turn/${turn}`}`

/** Changes some of the address; what is undefined goes. Moving along a run leaves one place to go back to, not hundreds. */
export function go(
  change: { readonly turn?: number; readonly [name: string]: string | number | undefined },
  isNew = false,
): void {
  const { agent, query, turn: before } = route.value
  const { turn = before, ...names } = change
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(names))
    if (value === undefined || value === '') next.delete(name)
    else next.set(name, String(value))
  const to = `${agent === undefined ? '#/' : agentPath(agent, turn)}${next.size > 0 ? `?${next}` : ''}`
  history[isNew ? 'pushState' : 'replaceState'](null, '', to)
  route.value = read()
}
