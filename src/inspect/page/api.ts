import { signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { PersonActions } from '../../app/inspected/act.ts'

/** What an exported file answers, by what it is asked with; undefined for what it does not hold. */
export type RecordedAnswer = (path: string) => unknown

let recorded: RecordedAnswer | undefined
export const isExported = signal(false)

export function useRecorded(answers: RecordedAnswer): void {
  recorded = answers
  isExported.value = true
}

const KEY = 'twotrack-token'

/** The token comes with the address that was printed; it does not stay there. */
export function takeToken(): void {
  const [path = '', query = ''] = location.hash.slice(1).split('?', 2)
  const given = new URLSearchParams(path.startsWith('/') ? query : path)
  const token = given.get('token')
  if (token === null) return
  localStorage.setItem(KEY, token)
  given.delete('token')
  const rest = path.startsWith('/') ? `${path}${given.size > 0 ? `?${given}` : ''}` : '/'
  history.replaceState(null, '', `#${rest}`)
}

async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${localStorage.getItem(KEY) ?? ''}`, ...init.headers }
  const response = await fetch(`/api/${path}`, { ...init, headers }).catch(() => {
    throw new Error('The inspector does not answer. Start it again with "twotrack inspect".')
  })
  if (response.ok) return response
  const { error } = (await response.json().catch(() => ({}))) as { error?: string }
  throw new Error(error ?? `${response.status} ${response.statusText}`)
}

/** Answers that somebody looks for now. */
let awaited = 0
const PAUSE_MS = 120

/** What takes long and is looked at later begins when nothing else is asked for: the server does one thing at a time. */
async function others(signal: AbortSignal): Promise<void> {
  do await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  while (awaited > 0 && !signal.aborted)
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  if (recorded) {
    const answer = recorded(path)
    if (answer !== undefined) return answer as T // recorded from the same server
    throw new Error('This file does not hold that. Open the run with "twotrack inspect" to see it.')
  }
  awaited++
  try {
    return (await (await request(path, signal ? { signal } : {})).json()) as T
  } finally {
    awaited--
  }
}

export async function bytesOf(path: string): Promise<ArrayBuffer> {
  const known = recorded?.(path)
  if (typeof known === 'string') return Uint8Array.from(atob(known), (char) => char.charCodeAt(0)).buffer
  if (recorded) throw new Error('This file does not hold that.')
  return (await request(path)).arrayBuffer()
}

/** Sends what a person does; the answer says what came of it. */
export async function act(agentId: string, what: Record<string, string>): ReturnType<PersonActions> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(what) }
  const response = await request(`agent/${encodeURIComponent(agentId)}/act`, init)
  return response.json() as ReturnType<PersonActions>
}

/** What comes one after the other, as it comes. */
export async function* each<T>(path: string, signal: AbortSignal): AsyncGenerator<T> {
  if (recorded) return
  const { body } = await request(path, { signal })
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value = '' } = (await reader?.read()) ?? { done: true }
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') yield JSON.parse(line) as T
    if (done) return
  }
}

export interface Loaded<T> {
  readonly value: T | undefined
  readonly error: string | undefined
  readonly loading: boolean
}

/**
 * What is at a path, asked anew when the path or `again` changes; what was there before stays until then. One thing is asked
 * at a time and then the newest: whoever goes through turns sees as many as there is time for, and none waits for all of them.
 */
export function useAnswer<T>(path: string | undefined, again: unknown = 0, isLater = false): Loaded<T> {
  const state = useSignal<Loaded<T>>({ value: undefined, error: undefined, loading: path !== undefined })
  const busy = useRef(Promise.resolve())
  useEffect(() => {
    if (path === undefined) return
    const gone = new AbortController()
    const isOld = () => gone.signal.aborted
    state.value = { ...state.peek(), loading: true }
    const ask = async () => {
      if (isOld()) return
      const answer = await get<T>(path, isLater ? gone.signal : undefined).then(
        (value) => ({ value, error: undefined }),
        (thrown: Error) => ({ value: undefined, error: thrown.message }),
      )
      if (isOld() && (isLater || answer.value === undefined)) return
      state.value = { ...answer, loading: isOld() }
    }
    if (isLater && !recorded) others(gone.signal).then(ask)
    else busy.current = busy.current.then(ask)
    return () => gone.abort()
  }, [path, again])
  return state.value
}

/** Calls with each change that a live address tells of, until the component goes. */
export function useLive<T>(path: string | undefined, changed: (change: T) => void): void {
  useEffect(() => {
    if (path === undefined) return
    const gone = new AbortController()
    ;(async () => {
      for await (const change of each<T>(path, gone.signal)) changed(change)
    })().catch(() => {}) // the page stays as it is
    return () => gone.abort()
  }, [path])
}
