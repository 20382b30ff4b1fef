import type { Context } from './context.ts';
import { type Fields, packRows, type RowOf } from './dialect.ts';
import { GroupCommit } from './group-commit.ts';
import type { PreparedStatement } from './prepared.ts';

/**
 * Simultaneous look-ups share a statement, whose parameter is the rows of `fields`. Null for an unknown key.
 * @param column with the key, in fields and rows
 */
export function groupedFind<
  F extends Fields,
  C extends keyof F & string,
  Row extends RowOf<Pick<F, C>>,
  Found,
>(
  { main }: Context,
  statement: PreparedStatement<Row>,
  fields: F,
  column: C,
  foundOf: (row: Row) => Found,
): (key: RowOf<F>) => Promise<Found | null> {
  const find = async (keys: readonly RowOf<F>[]) => {
    const distinct = new Map(keys.map((key) => [key[column], key]));
    const rows = await main.read(statement, [packRows(fields, [...distinct.values()])]);
    const found = new Map<unknown, Found>(rows.map((row) => [row[column], foundOf(row)]));
    return keys.map((key) => found.get(key[column]) ?? null);
  };
  const finding = new GroupCommit(find, { maxBatch: 200, writers: 2 });
  return (key) => finding.add(key);
}
