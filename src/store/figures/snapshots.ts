import type { Context } from '../database/context.ts';

export interface OldSnapshot {
  /** A connection, prepared transaction or replication slot. */
  holder: string;
  seconds: number;
}

const OLD_SECONDS = 600;
const MOST_NAMED = 20;

/**
 * Transactions with a snapshot or writes, prepared ones, and inactive replication slots. Other users' connections need
 * `pg_monitor`. Before Postgres 17 an inactive slot counts as just old enough.
 */
const FIND = `
  select holder, greatest(seconds, 0)::double precision as seconds from (
    select 'connection ' || pid || ' of ' || coalesce(usename, 'the server')
        || case application_name when '' then '' else ' (' || application_name || ')' end as holder,
      extract(epoch from clock_timestamp() - xact_start) as seconds
    from pg_stat_activity
    where (backend_xmin is not null or backend_xid is not null) and datname = current_database()
      and pid <> pg_backend_pid() and backend_type <> 'autovacuum worker'
    union all
    select 'prepared transaction ' || gid, extract(epoch from clock_timestamp() - prepared)
    from pg_prepared_xacts where database = current_database()
    union all
    select 'replication slot ' || slot_name, coalesce(extract(epoch from
      clock_timestamp() - (to_jsonb(s) ->> 'inactive_since')::timestamptz), ${OLD_SECONDS})
    from pg_replication_slots s where not active and xmin is not null
  ) as holders where seconds >= ${OLD_SECONDS} order by seconds desc limit ${MOST_NAMED}`;

export async function findOldSnapshots(
  ask: (text: string) => Promise<readonly unknown[]>,
): Promise<OldSnapshot[]> {
  const rows = (await ask(FIND)) as readonly { holder: string; seconds: number }[];
  return rows.map(({ holder, seconds }) => ({ holder, seconds: Math.round(seconds) }));
}

export const snapshots = {
  /**
   * Older than ten minutes, oldest first: vacuum can't remove rows that died after a snapshot began, and index scans
   * pass them. SQLite has none.
   */
  async findOld({ main }: Context): Promise<OldSnapshot[]> {
    if (!main.dialect.keepsDeadRows) return [];
    return findOldSnapshots((text) => main.autocommit(text));
  },
};
