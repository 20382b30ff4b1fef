import { sql } from 'kysely';
import type { Context } from '../database/context.ts';
import { all } from '../database/rows.ts';

/** A list shows nothing of larger payloads, so a page stays cheap. */
const MOST_PAYLOAD_BYTES = 16_384;

export const shownFields = {
  /** Larger ones are left out; neither database reads them for it. */
  async readSmallPayloads(
    { searches }: Context,
    teamId: string,
    jobIds: readonly string[],
  ): Promise<Map<string, string>> {
    const isSmall = sql<boolean>`octet_length(payload) <= ${MOST_PAYLOAD_BYTES}`;
    const where = [searches.dialect.isAmong('id', jobIds), isSmall];
    const choice = { columns: ['id', 'payload'] as const, where };
    const rows = await Promise.all([
      all(searches, 'jobs', { team_id: teamId }, choice),
      all(searches, 'ended_jobs', { team_id: teamId }, choice),
    ]);
    return new Map(rows.flat().map(({ id, payload }) => [id, payload ?? '']));
  },
};
