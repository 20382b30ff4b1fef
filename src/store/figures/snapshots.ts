import { CompiledQuery } from 'kysely';
import { findOldSnapshots, type OldSnapshot } from './old-snapshots.ts';
import type { Context } from '../database/context.ts';

export type { OldSnapshot };

export const snapshots = {
  /**
   * Older than ten minutes, oldest first. Vacuum can't remove rows that died after a snapshot began, and index scans
   * pass them. SQLite has none.
   */
  async findOld({ main }: Context): Promise<OldSnapshot[]> {
    if (!main.dialect.keepsDeadRows) return [];
    return findOldSnapshots((text) => main.autocommit(CompiledQuery.raw(text)));
  },
};
