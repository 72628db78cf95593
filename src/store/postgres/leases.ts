import { readlinkSync } from 'node:fs'
import { z } from 'zod'
import { START } from '../../core/store/chain.ts'
import { encodeId } from '../../core/store/encode-id.ts'
import type { Lease } from '../../core/store/engine.ts'
import { TwotrackError } from '../../errors.ts'
import { isElsewhere, thisProcess } from '../../files/lock.ts'
import type { Connections } from './connections.ts'

const holderSchema = z.object({
  /** Unique to one acquisition. */
  token: z.string(),
  pid: z.number(),
  host: z.string(),
  boot: z.string(),
  since: z.string(),
  /** The namespace in which the process has its id. */
  space: z.string(),
})
type Holder = z.infer<typeof holderSchema>

/** Taken where nobody holds it any more, or who did is known to be gone; the same holder gets what it was given before. */
const TAKE = `
  INSERT INTO log AS held (agent, hash, generation, holder, since, until)
  VALUES ($1, $2, nextval('generation'), $3, clock_timestamp(), clock_timestamp() + $4 * interval '1 ms')
  ON CONFLICT (agent) DO UPDATE SET generation = EXCLUDED.generation, holder = EXCLUDED.holder,
    since = EXCLUDED.since, until = EXCLUDED.until
  WHERE held.holder IS NULL OR held.until < clock_timestamp() OR held.generation = $5
    OR held.holder->>'token' = EXCLUDED.holder->>'token'
  RETURNING generation`

/** Leases of logs, kept in their rows by the clock of the server alone. */
export function leases(connections: Connections, leaseMs: number) {
  const held = new Map<Lease, string>()
  let renewing: NodeJS.Timeout | undefined

  const renew = async () => {
    const holding = [...held]
    await connections.ask(
      `UPDATE log SET until = clock_timestamp() + $3 * interval '1 ms'
       FROM unnest($1::text[], $2::bigint[]) AS mine (agent, generation)
       WHERE log.agent = mine.agent AND log.generation = mine.generation AND holder IS NOT NULL`,
      [holding.map(([, agent]) => agent), holding.map(([{ generation }]) => generation), leaseMs],
    )
  }
  const keep = () => {
    if (held.size > 0)
      renewing ??= setInterval(() => {
        // A lease that is not renewed is taken over in time, and the next append notices.
        void renew().catch(() => {})
      }, leaseMs / 3).unref()
    else {
      clearInterval(renewing)
      renewing = undefined
    }
  }

  const take = async (id: string): Promise<Lease> => {
    const agent = encodeId(id)
    const holder: Holder = { ...thisProcess(), space: spaceOfProcesses() }
    const ask = (gone: number | null) =>
      connections.ask(TAKE, [agent, START.hash, JSON.stringify(holder), leaseMs, gone])
    let [taken] = await ask(null)
    if (!taken) {
      const found = await holderOf(agent)
      if (found && isGone(found.holder)) [taken] = await ask(found.generation)
      if (!taken) throw lockedBy(id, (await holderOf(agent))?.holder)
    }
    const lease: Lease = {
      generation: Number(taken['generation']),
      async release() {
        if (!held.delete(lease)) return
        keep()
        // Where the database is away it ends by itself.
        await connections
          .ask('UPDATE log SET holder = NULL, until = NULL WHERE agent = $1 AND generation = $2', [
            agent,
            lease.generation,
          ])
          .catch(() => {})
      },
    }
    held.set(lease, agent)
    keep()
    return lease
  }

  const holderOf = async (agent: string): Promise<{ holder: Holder; generation: number } | undefined> => {
    const [row] = await connections.ask(
      'SELECT holder, generation FROM log WHERE agent = $1 AND holder IS NOT NULL',
      [agent],
    )
    const { data } = holderSchema.safeParse(row?.['holder'])
    return data && { holder: data, generation: Number(row?.['generation']) }
  }

  return {
    take,
    async releaseAll() {
      for (const lease of [...held.keys()]) await lease.release()
    },
  }
}

/** Whether a process of this machine, whose ids mean the same here, is known to have ended. */
function isGone(holder: Holder): boolean {
  if (isElsewhere(holder) || holder.host !== thisProcess().host || holder.space !== spaceOfProcesses())
    return false
  try {
    process.kill(holder.pid, 0)
    return false
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH'
  }
}

/** Containers of one machine number their processes each for itself. */
function spaceOfProcesses(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

function lockedBy(id: string, holder: Holder | undefined): TwotrackError {
  const who = holder ? `process ${holder.pid} on ${holder.host} (since ${holder.since})` : 'another process'
  return new TwotrackError(
    'locked',
    `Log ${id} is being written by ${who}. Wait until it is done; if that one is gone, it is free within a minute.`,
    { details: { ...holder } },
  )
}
