/**
 * RFC 4180. An apostrophe precedes text that a spreadsheet would take for a formula, also after a semicolon, a tab or
 * a line end.
 */
export function writeCsvLine(cells: readonly (string | number | boolean | null)[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

// Quotes are ignored: with another separator they aren't at a cell's beginning.
const BEFORE_FORMULA = /(?=[=+\-@\t\r])(?<=(?:^|[;\t\r\n])"*)/g;

function writeCell(cell: string | number | boolean | null): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = cell.replaceAll(BEFORE_FORMULA, "'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
