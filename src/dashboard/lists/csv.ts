/**
 * A line of CSV (RFC 4180). Text that a spreadsheet would take for a formula gets an apostrophe before it: at the
 * beginning of a cell and, for spreadsheets that separate cells otherwise, behind a semicolon, a tab and a line end.
 */
export function writeCsvLine(cells: readonly (string | number | boolean | null)[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

// Quotes are ignored: with another separator, they are not at the beginning of a cell.
const BEFORE_FORMULA = /(?=[=+\-@\t\r])(?<=(?:^|[;\t\r\n])"*)/g;

function writeCell(cell: string | number | boolean | null): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = cell.replaceAll(BEFORE_FORMULA, "'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
