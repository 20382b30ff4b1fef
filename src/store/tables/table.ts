/**
 * One declaration gives the DDL of both databases (ddl.ts), the row type (tables.ts) and the fields of packed
 * parameters.
 */
import type { DialectName, FieldType } from '../database/dialect.ts';

export type YesNo = 0 | 1;

export type Kind = Exclude<FieldType, 'place'> | 'rowNumber';

export type Sql = string | Readonly<Record<DialectName, string>>;

interface Rules {
  isNullable?: boolean;
  isUnique?: boolean;
  default?: number;
  check?: (name: string) => string;
  /** The row is deleted with that one. */
  owner?: string;
}

/**
 * Each method returns a changed copy.
 * @template Added what a new row has; it may lack a column that allows undefined
 */
export class Column<Stored, K extends Kind = Kind, Added = Stored> {
  declare readonly stored: Stored;
  declare readonly added: Added;
  readonly kind: K;
  readonly rules: Rules;

  constructor(kind: K, rules: Rules = {}) {
    this.kind = kind;
    this.rules = rules;
  }

  get orNull(): Column<Stored | null, K, Added | null | undefined> {
    return new Column(this.kind, { ...this.rules, isNullable: true });
  }

  get unique(): Column<Stored, K> {
    return new Column(this.kind, { ...this.rules, isUnique: true });
  }

  default(value: Stored & number): Column<Stored, K, Stored | undefined> {
    return new Column(this.kind, { ...this.rules, default: value });
  }

  check(condition: (name: string) => string): Column<Stored, K> {
    return new Column(this.kind, { ...this.rules, check: condition });
  }

  between(least: number, most: number): Column<Stored, K> {
    return this.check((name) => `${name} between ${least} and ${most}`);
  }

  atLeast(least: number): Column<Stored, K> {
    return this.check((name) => `${name} >= ${least}`);
  }

  deletedWith(owner: 'teams' | 'users'): Column<Stored, K> {
    return new Column(this.kind, { ...this.rules, owner });
  }
}

/** 16 bytes on Postgres, text on SQLite. */
export const id = () => new Column<string, 'id'>('id');
/** JSON on SQLite. */
export const ids = () => new Column<readonly string[], 'ids'>('ids');
export const text = <T extends string = string>() => new Column<T, 'text'>('text');
export const integer = <T extends number = number>() => new Column<T, 'int'>('int');
export const bigint = () => new Column<number, 'bigint'>('bigint');
export const instant = bigint;
export const json = () => new Column<string, 'json'>('json');
export const bytes = () => new Column<Uint8Array, 'bytes'>('bytes');
/** Ascending, given by the database; the table's key. */
export const rowNumber = () => new Column<number, 'rowNumber', number | undefined>('rowNumber');
export const yesNo = () => new Column<YesNo, 'int'>('int').check((name) => `${name} in (0, 1)`);
/** Checked by the database. */
export const oneOf = <const T extends string>(...values: readonly T[]) =>
  text<T>().check((name) => `${name} in (${values.map((value) => `'${value}'`).join(', ')})`);

export type Columns = Readonly<Record<string, Column<unknown>>>;

export interface Index<C extends Columns> {
  on: readonly (keyof C | { expression: Sql })[];
  where?: Sql;
  isUnique?: true;
}

export interface Table<Name extends string = string, C extends Columns = Columns> {
  name: Name;
  columns: C;
  key: readonly (keyof C)[];
  unique?: Readonly<Record<string, readonly (keyof C)[]>>;
  checks?: Readonly<Record<string, string>>;
  indexes?: Readonly<Record<string, Index<C>>>;
  sqlite?: Storage<C>;
  postgres?: Storage<C>;
}

interface Storage<C extends Columns> {
  parameters?: Readonly<Record<string, number>>;
  /** They also end the primary key. The first partitions by name. */
  partitions?: { by: readonly (keyof C)[]; made: Readonly<Record<string, string>> };
}

export function table<const Name extends string, C extends Columns>(
  name: Name,
  columns: C,
  rest: Omit<Table<Name, C>, 'name' | 'columns'>,
): Table<Name, C> {
  return { name, columns, ...rest };
}

export type RowOf<T extends { columns: Columns }> = {
  [N in keyof T['columns']]: T['columns'][N]['stored'];
};

type Optional<C extends Columns> = {
  [N in keyof C]: undefined extends C[N]['added'] ? N : never;
}[keyof C];

export type NewRowOf<T extends { columns: Columns }> = {
  [N in Exclude<keyof T['columns'], Optional<T['columns']>>]: T['columns'][N]['added'];
} & { [N in Optional<T['columns']>]?: T['columns'][N]['added'] };

export function fieldsOf<C extends Columns, Left extends keyof C = never>(
  columns: C,
  ...leftOut: readonly Left[]
) {
  const kept = Object.entries(columns).filter(([name]) => !leftOut.includes(name as Left));
  return Object.fromEntries(kept.map(([name, { kind }]) => [name, kind])) as {
    readonly [N in Exclude<keyof C, Left>]: C[N]['kind'];
  };
}

export function namesOf<C extends Columns, Left extends keyof C = never>(
  columns: C,
  ...leftOut: readonly Left[]
) {
  const names = Object.keys(columns).filter((name) => !leftOut.includes(name as Left));
  return names as Exclude<keyof C & string, Left>[];
}
