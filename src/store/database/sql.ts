import { createHash } from 'node:crypto';
import type { Dialect } from './dialect.ts';

/** A statement, or a part of one, with its values. */
export class Sql<Row = unknown> {
  /** Only carries the row's type; for a part, that of its value. */
  declare readonly row?: Row;
  /** Around and between the values. */
  readonly texts: readonly string[];
  readonly values: readonly unknown[];

  constructor(texts: readonly string[], values: readonly unknown[] = []) {
    this.texts = texts;
    this.values = values;
  }

  textFor({ inOrder }: Dialect): string {
    return this.texts.reduce((text, next, n) => `${text}${inOrder(n)}${next}`);
  }
}

/** Parts become parts of the text, other values parameters. */
export function sql<Row>(texts: TemplateStringsArray, ...given: readonly unknown[]): Sql<Row> {
  return compose(texts, given);
}

/** A text of ours, such as a name: never one from outside. */
sql.raw = (text: string): Sql => new Sql([text]);

/** At least one. */
sql.join = (items: readonly unknown[], separator = ', '): Sql =>
  compose(['', ...items.slice(1).map(() => separator), ''], items);

/** Postgres prepares each text under a name of its own (`PreparedStatement`). */
export function named<Row>(what: string, query: Sql<Row>): Sql<Row> {
  const hash = createHash('sha256').update(query.texts.join('$')).digest('hex').slice(0, 16);
  return sql`${sql.raw(`/* ${what}-${hash} */ `)}${query}`;
}

function compose<Row>(around: readonly string[], given: readonly unknown[]): Sql<Row> {
  const texts = [around[0] ?? ''];
  const values: unknown[] = [];
  for (const [n, value] of given.entries()) {
    const part = value instanceof Sql ? value : new Sql(['', ''], [value]);
    values.push(...part.values);
    const [first = '', ...others] = part.texts;
    texts.push((texts.pop() ?? '') + first, ...others);
    texts.push((texts.pop() ?? '') + (around[n + 1] ?? ''));
  }
  return new Sql(texts, values);
}
