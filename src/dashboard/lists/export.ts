import { data } from 'react-router';

export type Cell = string | number | boolean | null;

const MOST_EXPORTED = 100_000;
/** Each examines a limited number of rows. */
const MOST_PAGES = 600;

const CUT_OFF =
  'There is more. A file has at most 100,000 rows, and a search is limited in time. Choose a shorter time to get the rest.';

type Export<Row> = {
  /** `csv` or `jsonl`; others have no page. */
  format: string | null;
  /** Without extension. */
  name: string;
  columns: readonly string[];
  /** At most `limit` rows. */
  readPage: (
    from: string | undefined,
    limit: number,
  ) => Promise<{ rows: Row[]; next: string | null }>;
  /** In the order of the columns. */
  write: (row: Row) => readonly Cell[];
};

/** Streams with the memory of one page. */
export function answerExport<Row>(asked: Export<Row>): Response {
  const { format, name, columns, readPage, write } = asked;
  if (format !== 'csv' && format !== 'jsonl') throw data(null, { status: 404 });
  const writeRow = (row: Row) =>
    format === 'csv'
      ? writeCsvLine(write(row))
      : `${JSON.stringify(Object.fromEntries(write(row).map((cell, at) => [columns[at], cell])))}\n`;
  const head = format === 'csv' ? writeCsvLine(columns) : '';
  const end = format === 'csv' ? writeCsvLine([CUT_OFF]) : `${JSON.stringify({ note: CUT_OFF })}\n`;
  const pages = eachPage({ head, end }, readPage, writeRow);
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

const PAGE_ROWS = 200;

async function* eachPage<Row>(
  { head, end }: { head: string; end: string },
  readPage: Export<Row>['readPage'],
  writeRow: (row: Row) => string,
): AsyncGenerator<string> {
  if (head !== '') yield head;
  let from: string | undefined;
  let count = 0;
  for (let page = 0; count < MOST_EXPORTED && page < MOST_PAGES; page++) {
    const { rows, next } = await readPage(from, PAGE_ROWS);
    // An empty text would end the stream.
    if (rows.length > 0) yield rows.map(writeRow).join('');
    if (next === null) return;
    count += rows.length;
    from = next;
  }
  yield end;
}

/** RFC 4180. An apostrophe precedes text that a spreadsheet would take for a formula. */
export function writeCsvLine(cells: readonly Cell[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

// Quotes are ignored: with another separator they aren't at a cell's beginning.
const BEFORE_FORMULA = /(?=[=+\-@\t\r])(?<=(?:^|[;\t\r\n])"*)/g;

function writeCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = cell.replaceAll(BEFORE_FORMULA, "'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
