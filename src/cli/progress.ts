import width from 'string-width'
import type { RunWatcher } from '../app/run-jobs.ts'
import { remark, safe, wrapped } from './output.ts'

const BAR_CHARS = 24
const SHOWN_MAX = 10
/** How far apart the lines are where there is no terminal: a log is not to fill with them. */
const PLAIN_MS = 10_000
/** Before so many have ended, nobody knows how long the others take. */
const ESTIMATE_AFTER = 3
/** Of less nobody needs to know, and one agent that is slower makes it wrong. */
const ESTIMATE_MS_MIN = 10_000

/** How a run goes, on standard error: a live view on a terminal, a line now and then elsewhere. What came of it is the report's. */
export interface Progress extends RunWatcher {
  /** Leaves the terminal to a question, until it is released. */
  hold(): void
  release(): void
  close(): void
}

export function progressOf(total: number): Progress {
  const isLive = process.stderr.isTTY
  const active = new Map<string, { what: string; line: string; tokens: number }>()
  const begun = performance.now()
  let [wanted, ended, failed] = [total, 0, 0]
  let told = begun
  let drawn = 0
  let held = false
  const wipe = () => {
    if (drawn > 0) process.stderr.write(`\u001b[${drawn}A\u001b[0J`)
    drawn = 0
  }
  const draw = () => {
    if (held || !isLive) return
    wipe()
    if (wanted === 0) return
    const columns = process.stderr.columns || 80
    const full = Math.round((BAR_CHARS * ended) / Math.max(1, wanted))
    const bar = `${'█'.repeat(full)}${'░'.repeat(BAR_CHARS - full)}`
    // What scrolled out of a low terminal could not be wiped again.
    const shown = Math.min(SHOWN_MAX, Math.max(0, (process.stderr.rows || SHOWN_MAX + 3) - 3))
    const rows = [...active.values()].slice(0, shown).map(({ what, line }) => `  ${what}  ${line}`)
    if (active.size > shown) rows.push(`  and ${active.size - shown} more`)
    const lines = [`${bar} ${counted()}`, ...rows].map((line) => cutTo(line, columns - 1))
    process.stderr.write(`${lines.join('\n')}\n`)
    drawn = lines.length
  }
  /** How many have ended, how many of them failed, and how long the others will take if they are like these. */
  const counted = () => {
    const left = ((performance.now() - begun) / Math.max(1, ended)) * (wanted - ended)
    const estimate =
      ended >= ESTIMATE_AFTER && left >= ESTIMATE_MS_MIN ? ` · about ${durationOf(left)} left` : ''
    return `${ended} of ${wanted}${failed > 0 ? ` · ${failed} failed` : ''}${estimate}`
  }
  draw()
  return {
    begin(agentId, what) {
      active.set(agentId, { what: safe(what), line: 'starting', tokens: 0 })
      draw()
    },
    happened(event) {
      const row = active.get(event.agent_id)
      if (!row) return
      if (event.type === 'model_request' && event.data.purpose === 'turn')
        row.tokens += event.data.prompt_tokens
      if (event.type !== 'tool_result') return
      const what = event.delta?.add_action?.[0]?.summary ?? event.data.tool
      row.line = safe(`turn ${event.turn} · ${row.tokens} tokens · ${what}`)
      draw()
    },
    end(agentId, isFailed) {
      active.delete(agentId)
      ended++
      if (isFailed) failed++
      draw()
      if (isLive || performance.now() - told < PLAIN_MS) return
      told = performance.now()
      remark(counted())
    },
    skip() {
      wanted--
      draw()
    },
    tell(line) {
      wipe()
      remark(wrapped(safe(line)))
      draw()
    },
    hold() {
      wipe()
      held = true
    },
    release() {
      held = false
      draw()
    },
    close: wipe,
  }
}

function durationOf(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / 1_000))
  if (seconds < 90) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Cut by columns: a wide character takes two. */
function cutTo(text: string, columns: number): string {
  if (width(text) <= columns) return text
  const chars = [...text]
  while (width(chars.join('')) >= columns) chars.pop()
  return `${chars.join('')}…`
}
