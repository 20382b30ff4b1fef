import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * A team's next signing secret, and when it takes effect. It is then moved to the columns of the present one, where the
 * version before finds it too.
 */
export async function addNextSigningSecrets(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const teams = () => db.schema.alterTable('teams');
  await teams().addColumn('sealed_next_signing_secret', 'text').execute();
  await teams().addColumn('next_signing_secret_set_at', t.instant).execute();
  await teams().addColumn('next_signing_secret_from', t.instant).execute();
}
