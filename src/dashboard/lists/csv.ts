/** A line of CSV (RFC 4180). What a spreadsheet would take for a formula gets an apostrophe before it. */
export function writeCsvLine(cells: readonly (string | number | boolean | null)[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

function writeCell(cell: string | number | boolean | null): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
