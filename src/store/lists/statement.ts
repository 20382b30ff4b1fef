import type { Dialect } from '../database/dialect.ts';
import type { PreparedStatement } from '../database/prepared.ts';
import { postgres } from '../postgres/sql.ts';
import { sqlite } from '../sqlite/sql.ts';

/**
 * A statement of a page, in both dialects. Unlike the prepared ones it does not begin with its name, so Postgres
 * plans it each time by the values and the statistics of that moment: pages are asked for seldom enough, and a
 * plan kept from when a table was empty could read far too much.
 */
export function pageStatement<Row>(
  name: string,
  write: (dialect: Dialect) => string,
): PreparedStatement<Row> {
  return {
    sqlite: `${write(sqlite)} /* ${name} */`,
    postgres: `${write(postgres)} /* ${name} */`,
  };
}
