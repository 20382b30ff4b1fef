import { type RawBuilder, sql } from 'kysely';

/** The few column types that the two databases spell differently. */
export interface ColumnTypes {
  /** A UUID: 16 bytes on Postgres, text on SQLite. */
  id: RawBuilder<unknown>;
  /** A list of UUIDs. */
  ids: RawBuilder<unknown>;
  /** Milliseconds since 1970 UTC, and other whole numbers beyond 32 bits. */
  instant: 'bigint';
  bytes: RawBuilder<unknown>;
  /** The indexed start of a job's URL, sorted by code points. */
  urlStart: RawBuilder<unknown>;
  /** Whether indexes on tables that may be large are built apart from migrations (postgres-indexes.ts). */
  buildsIndexesApart: boolean;
  /** Whether ended runs are in partitions by time. */
  isPartitioned: boolean;
}

export const COLUMN_TYPES: Record<'sqlite' | 'postgres', ColumnTypes> = {
  sqlite: {
    id: sql`text`,
    ids: sql`text`,
    instant: 'bigint',
    bytes: sql`blob`,
    urlStart: sql`substr(url, 1, 100)`,
    buildsIndexesApart: false,
    isPartitioned: false,
  },
  postgres: {
    id: sql`uuid`,
    ids: sql`uuid[]`,
    instant: 'bigint',
    bytes: sql`bytea`,
    urlStart: sql`(left(url, 100) collate "C")`,
    buildsIndexesApart: true,
    isPartitioned: true,
  },
};
