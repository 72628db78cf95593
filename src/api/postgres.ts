/** `twotrack/store/postgres`: logs and blobs in PostgreSQL, for agents on many machines. */

export { printedMigrations as postgresMigrations } from '../store/postgres/migrations.ts'
export { type PostgresOptions, postgresEngine, postgresStore } from '../store/postgres/postgres.ts'
