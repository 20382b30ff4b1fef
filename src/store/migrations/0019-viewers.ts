import { type Kysely, sql } from 'kysely';

/**
 * Marks a member or an invitation as a viewer. The check constraint of `role` can't be widened while the version before
 * runs, so the role stays `member` beside the mark.
 */
export async function addViewers(db: Kysely<unknown>): Promise<void> {
  for (const table of ['memberships', 'invitations'] as const) {
    await db.schema
      .alterTable(table)
      .addColumn('view_only', 'integer', (c) =>
        c
          .notNull()
          .defaultTo(0)
          .check(sql`view_only in (0, 1)`),
      )
      .execute();
  }
}
