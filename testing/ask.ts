import type { Store } from '#store/store';

type Asked = Pick<Store, 'database'>;

/** Runs a text of SQL by itself. */
export function ask<Row = Record<string, unknown>>(
  { database }: Asked,
  text: string,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  return database.autocommit(text, [...parameters]);
}

/** @param from a table, also with a condition */
export async function countRows(asked: Asked, from: string): Promise<number> {
  const [row] = await ask<{ n: number }>(asked, `select count(*) as n from ${from}`);
  return Number(row?.n);
}
