import { encodeId } from '../../core/store/encode-id.ts'
import { TwotrackError } from '../../errors.ts'
import { type DatabaseSession, failureOf } from './session.ts'

/** A name in PostgreSQL, in bytes. */
const NAME_BYTES_MAX = 63
const PREFIX = 'twotrack_'

/** The schema that holds all of a project: who may use it reads and writes that project, and no other. */
export function schemaOf(project: string): string {
  const short = encodeId(project, 1_000)
  if (PREFIX.length + short.length > NAME_BYTES_MAX)
    throw new TwotrackError(
      'bad_argument',
      `The name of the project "${project}" is too long for a store in PostgreSQL. Give it a shorter one.`,
    )
  return PREFIX + short
}

/**
 * What makes the tables, step by step: each runs once, and is never changed after it was released. `log` is where a log
 * ends and who writes it, a small row that every append moves; `entry` is what lists know of it; ids are encoded as in
 * `encodeId`, and that of an agent is in `entry` once more in an order of its own: UTF-16, as JavaScript compares. Generations count over all logs, so that none is ever given twice. `watched` says until when somebody
 * follows a log, or in the one row of `lists`, the list of them: only then is told of changes.
 */
const migrations: readonly string[] = [
  `
CREATE SEQUENCE generation;
CREATE TABLE log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  agent text NOT NULL UNIQUE,
  seq bigint NOT NULL DEFAULT 0,
  hash text NOT NULL,
  generation bigint NOT NULL DEFAULT 0,
  holder jsonb,
  since timestamptz,
  until timestamptz,
  watched timestamptz,
  archived bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX log_held ON log (since) WHERE holder IS NOT NULL;
CREATE TABLE line (
  log bigint NOT NULL,
  seq bigint NOT NULL,
  is_packed boolean NOT NULL DEFAULT false,
  bytes bytea NOT NULL,
  PRIMARY KEY (log, seq)
);
CREATE TABLE entry (
  log bigint PRIMARY KEY,
  run text NOT NULL,
  operation text NOT NULL,
  node text NOT NULL,
  created timestamptz NOT NULL,
  id bytea NOT NULL,
  first bytea NOT NULL
);
CREATE INDEX entry_created ON entry (created, id);
CREATE INDEX entry_run ON entry (run, log);
CREATE INDEX entry_operation ON entry (operation, log);
CREATE INDEX entry_node ON entry (node, log);
CREATE TABLE blob (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  digest text UNIQUE,
  bytes bigint NOT NULL DEFAULT 0,
  chunks integer NOT NULL DEFAULT 0,
  used timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 80);
CREATE TABLE chunk (
  blob bigint NOT NULL REFERENCES blob ON DELETE CASCADE,
  n integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (blob, n)
);
ALTER TABLE chunk ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE TABLE lists (watched timestamptz);
INSERT INTO lists VALUES (NULL);
`,
  // Jobs of workers (src/queue): who has one is who holds the lease of its log. `base`: the projects that they are about.
  `
CREATE TABLE job (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  agent text NOT NULL UNIQUE,
  run text NOT NULL,
  priority integer NOT NULL,
  needs text[] NOT NULL,
  task jsonb NOT NULL,
  state jsonb NOT NULL,
  is_open boolean NOT NULL GENERATED ALWAYS AS (state->>'is' IN ('waiting', 'taken')) STORED,
  result jsonb,
  changed timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX job_open ON job (priority DESC, id) WHERE is_open;
CREATE INDEX job_run ON job (run, id);
CREATE TABLE base (name text PRIMARY KEY, files jsonb NOT NULL, made timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE TABLE queue (paused boolean NOT NULL);
INSERT INTO queue VALUES (false);
`,
]

/** All of it for a new project or nothing, to be run by who may make a schema; then the role of the store needs none of that. */
export function printedMigrations(project: string): string {
  const schema = schemaOf(project)
  return `BEGIN;\nCREATE SCHEMA IF NOT EXISTS "${schema}";\nSET LOCAL search_path = "${schema}";\n${MADE}\n${migrations.map(stepOf).join('')}COMMIT;\n`
}

const MADE =
  'CREATE TABLE IF NOT EXISTS migration (version integer PRIMARY KEY, made timestamptz NOT NULL DEFAULT now());'
const stepOf = (text: string, index: number): string =>
  `${text}INSERT INTO migration (version) VALUES (${index + 1});\n`

/** Makes what is missing, once, whoever comes first. Throws `newer_version` for tables that this version does not know. */
export async function migrate(session: DatabaseSession, schema: string, shown: string): Promise<void> {
  if ((await versionOf(session, schema)) === migrations.length) return
  try {
    await session.ask('BEGIN')
    // For one project after the other: names of locks are numbers, shared by all who use the database.
    await session.ask('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`twotrack ${schema}`], 60_000)
    const version = await versionOf(session, schema)
    if (version > migrations.length)
      throw new TwotrackError(
        'newer_version',
        `The project in ${shown} has tables of version ${version}; this twotrack knows ${migrations.length}. Upgrade twotrack.`,
        { details: { version, known: migrations.length } },
      )
    if (version === 0) await session.ask(`CREATE SCHEMA IF NOT EXISTS "${schema}"; ${MADE}`)
    for (const [index, text] of migrations.entries())
      if (index >= version) await session.ask(stepOf(text, index))
    await session.ask('COMMIT')
  } catch (thrown) {
    await session.ask('ROLLBACK').catch(() => {})
    throw failureOf(thrown, shown)
  }
}

async function versionOf(session: DatabaseSession, schema: string): Promise<number> {
  // Not `to_regclass`: in a transaction it answers from a cache.
  const [found] = await session.ask(
    `SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'migration') AS there`,
    [schema],
  )
  if (found?.['there'] !== true) return 0
  const [row] = await session.ask(
    `SELECT coalesce(max(version), 0) AS version FROM "${schema}".migration`,
    [],
  )
  return Number(row?.['version'] ?? 0)
}
