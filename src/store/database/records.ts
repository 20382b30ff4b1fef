import { type Fields, packRows, type RowOf } from './dialect.ts';

/** `teamId` for `team_id`. */
type FieldName<Column> = Column extends `${infer Start}_${infer Rest}`
  ? `${Start}${Capitalize<FieldName<Rest>>}`
  : Column;

export type RecordOf<Row> = { -readonly [C in keyof Row as FieldName<C & string>]: Row[C] };

const names = new Map<string, string>();

function fieldName(column: string): string {
  let name = names.get(column);
  if (name === undefined) {
    name = column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    names.set(column, name);
  }
  return name;
}

export function toRecord<Row extends object, C extends keyof Row & string = keyof Row & string>(
  row: Row,
  columns?: readonly C[],
): RecordOf<Pick<Row, C>> {
  const record: Record<string, unknown> = {};
  for (const column of columns ?? (Object.keys(row) as C[]))
    record[fieldName(column)] = row[column];
  return record as RecordOf<Pick<Row, C>>;
}

/** Undefined fields are left out. */
export function toRow<Row extends object, C extends keyof Row & string>(
  record: Partial<RecordOf<Pick<Row, C>>>,
  columns: readonly C[],
): Partial<Pick<Row, C>> {
  const row: Record<string, unknown> = {};
  for (const column of columns) {
    const value = (record as Record<string, unknown>)[fieldName(column)];
    if (value !== undefined) row[column] = value;
  }
  return row as Partial<Pick<Row, C>>;
}

export function packRecords<F extends Fields>(
  fields: F,
  records: readonly RecordOf<RowOf<F>>[],
): string {
  const columns = Object.keys(fields);
  const rows = records.map((record: Record<string, unknown>) => {
    const row: Record<string, unknown> = {};
    for (const column of columns) row[column] = record[fieldName(column)];
    return row;
  });
  return packRows(fields, rows as RowOf<F>[]);
}
