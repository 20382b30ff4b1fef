import { type Kysely, sql } from 'kysely';

/**
 * Marks a member, or who is invited as one, as somebody who only looks on. The check of `role` can't be widened
 * where the version before runs on, so beside the mark the role stays `member`.
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
