import { CompiledQuery } from 'kysely';
import { findOldSnapshots, type OldSnapshot } from './old-snapshots.ts';
import type { Context } from '../database/context.ts';

export type { OldSnapshot };

export const snapshots = {
  /**
   * Snapshots older than ten minutes, oldest first. Vacuum cannot remove rows that died after the snapshot began, and
   * index scans have to pass them. SQLite has none.
   */
  async findOld({ main }: Context): Promise<OldSnapshot[]> {
    if (!main.dialect.keepsDeadRows) return [];
    return findOldSnapshots((text) => main.autocommit(CompiledQuery.raw(text)));
  },
};
