import type { Dialect } from '../database/dialect.ts';
import type { PreparedStatement } from '../database/prepared.ts';
import { postgres } from '../postgres/sql.ts';
import { sqlite } from '../sqlite/sql.ts';

/**
 * A statement for pages, in both dialects. Unlike prepared ones it does not begin with its name, so Postgres plans it
 * each time, by the present values and statistics. It suits rare statements, and those of which a plan that was kept
 * from when a table was empty could read far too much (plans.test.ts). Planning a search of all partitions takes the
 * server some milliseconds.
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
