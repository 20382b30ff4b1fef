import { writeCsvLine } from './csv.ts';

export type Cell = string | number | boolean | null;
export type ExportFormat = 'csv' | 'jsonl';

export const EXPORT_FORMATS: readonly ExportFormat[] = ['csv', 'jsonl'];
/** The most rows in one download. A longer list is exported in several periods. */
const MOST_EXPORTED = 100_000;

/**
 * Streams a list as a file. Each page is read when the one before it has been consumed, so it needs no more memory
 * than one page.
 *
 * @param readPage  reads at most `limit` rows behind the row with that id; from the beginning without an id
 * @param write  the cells of a row, in the order of the columns
 */
export function answerExport<Row extends { id: string }>({
  format,
  name,
  columns,
  readPage,
  write,
}: {
  format: ExportFormat;
  /** The file's name without its extension. */
  name: string;
  columns: readonly string[];
  readPage: (after: string | undefined, limit: number) => Promise<Row[]>;
  write: (row: Row) => readonly Cell[];
}): Response {
  const writeRow = (row: Row) =>
    format === 'csv'
      ? writeCsvLine(write(row))
      : `${JSON.stringify(Object.fromEntries(write(row).map((cell, at) => [columns[at], cell])))}\n`;
  const head = format === 'csv' ? writeCsvLine(columns) : '';
  const pages = eachPage(head, readPage, writeRow);
  const body = new ReadableStream<string>({
    pull: async (controller) => {
      const { done, value } = await pages.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl; charset=utf-8';
  return new Response(body.pipeThrough(new TextEncoderStream()), {
    headers: {
      'Content-Type': type,
      'Content-Disposition': `attachment; filename="${name}.${format}"`,
    },
  });
}

const PAGE_ROWS = 500;

async function* eachPage<Row extends { id: string }>(
  head: string,
  readPage: (after: string | undefined, limit: number) => Promise<Row[]>,
  writeRow: (row: Row) => string,
): AsyncGenerator<string> {
  if (head !== '') yield head;
  let after: string | undefined;
  for (let count = 0; count < MOST_EXPORTED;) {
    const rows = await readPage(after, PAGE_ROWS);
    yield rows.map(writeRow).join('');
    count += rows.length;
    after = rows.at(-1)?.id;
    if (rows.length < PAGE_ROWS) return;
  }
}
