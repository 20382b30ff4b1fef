/** Somebody who keeps the database from forgetting what is over, and for how long already. */
export interface OldSnapshot {
  /** In words: the connection, prepared transaction or replication slot. The same at every look. */
  heldBy: string;
  seconds: number;
}

/** From when on one is worth a word. */
const OLD_SECONDS = 600;
/** Whoever has more than these has another problem first. */
const MOST_NAMED = 20;

/**
 * Transactions that hold a snapshot or have written, prepared ones, and replication slots that nobody reads from.
 * Of other users' connections the server shows that only to members of `pg_monitor`. A slot knows since when it has
 * been left alone only from Postgres 17 on; before, it counts as just old enough.
 */
const FIND = `
  select held_by, greatest(seconds, 0)::double precision as seconds from (
    select 'connection ' || pid || ' of ' || coalesce(usename, 'the server')
        || case application_name when '' then '' else ' (' || application_name || ')' end as held_by,
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

/** Those that are older than ten minutes, oldest first. @param ask  runs one statement on a Postgres */
export async function findOldSnapshots(
  ask: (text: string) => Promise<readonly unknown[]>,
): Promise<OldSnapshot[]> {
  const rows = (await ask(FIND)) as readonly { held_by: string; seconds: number }[];
  return rows.map(({ held_by, seconds }) => ({ heldBy: held_by, seconds: Math.round(seconds) }));
}
