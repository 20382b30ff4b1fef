import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * A team's next signing secret. When it is put in force it moves to the columns of the present one, where the version
 * before finds it too.
 */
export async function addNextSigningSecrets(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const teams = () => db.schema.alterTable('teams');
  await teams().addColumn('sealed_next_signing_secret', 'text').execute();
  await teams().addColumn('next_signing_secret_set_at', t.instant).execute();
}
