import { type Kysely, sql } from 'kysely';

/**
 * Marks the emails of existing accounts as confirmed, since alerts have always gone to them. From now on an email
 * counts as confirmed only when its owner has confirmed it or the operator has vouched for it.
 */
export async function confirmPresentEmails(db: Kysely<unknown>): Promise<void> {
  await sql`update users set email_verified = 1`.execute(db);
}
