import { sql } from 'kysely';
import type { Context } from '../database/context.ts';
import type { Database } from '../database/database.ts';
import { all } from '../database/rows.ts';

/** A list shows nothing of larger payloads, so that a page of them stays cheap. */
const MOST_PAYLOAD_BYTES = 16_384;

/** The field of payloads that a team's lists of jobs show. */
export const shownFields = {
  /** Larger ones are left out; neither database reads them for it. */
  async readSmallPayloads(
    { searches }: Context,
    teamId: string,
    jobIds: readonly string[],
  ): Promise<Map<string, string>> {
    const found = await Promise.all(
      (['jobs', 'ended_jobs'] as const).map((table) =>
        listPayloads(searches, table, teamId, jobIds),
      ),
    );
    return new Map(found.flat());
  },
};

async function listPayloads(
  db: Database,
  table: 'jobs' | 'ended_jobs',
  teamId: string,
  jobIds: readonly string[],
): Promise<[id: string, payload: string][]> {
  const isSmall = sql<boolean>`octet_length(payload) <= ${MOST_PAYLOAD_BYTES}`;
  const where = [db.dialect.isAmong('id', jobIds), isSmall];
  const rows = await all(db, table, { team_id: teamId }, { columns: ['id', 'payload'], where });
  return rows.flatMap(({ id, payload }) =>
    payload === null ? [] : [[id, payload] as [string, string]],
  );
}
