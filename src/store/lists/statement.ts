import type { Dialect } from '../database/dialect.ts';
import type { PreparedStatement } from '../database/prepared.ts';
import { postgres } from '../postgres/sql.ts';
import { sqlite } from '../sqlite/sql.ts';

/**
 * A statement of a page, in both dialects, that Postgres plans each time by the values and the statistics of that
 * moment. Unlike the prepared ones it does not begin with its name. It is for those that are asked seldom or of which
 * a plan kept from when a table was empty could read far too much (plans.test.ts); planning a look into all partitions
 * takes the server some milliseconds.
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
