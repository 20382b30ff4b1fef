import type { Terminal } from './services.ts';
import { toOneLine } from './fault.ts';

export const OUTPUTS = ['json', 'table'] as const;
export type Output = (typeof OUTPUTS)[number];

type Written = object;

/** Control characters that JSON does not escape and that a terminal may obey. */
const OBEYED = /[\u007f-\u009f\u2028\u2029]/g;

/** Indented on a terminal, else on one line. */
export function printJson(terminal: Terminal, value: unknown): void {
  printAs(terminal, JSON.stringify(value, null, terminal.isInteractive ? 2 : undefined));
}

/** Also on a terminal. */
export function printJsonLine(terminal: Terminal, value: unknown): void {
  printAs(terminal, JSON.stringify(value));
}

function printAs(terminal: Terminal, json: string): void {
  terminal.print(`${json.replaceAll(OBEYED, escapeCharacter)}\n`);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export function printRecord(terminal: Terminal, record: Written): void {
  printColumns(terminal, writeLines(record));
}

/** A line for each field, also for each of an object in it: `explanation.title`. */
function writeLines(record: Written, path = ''): [name: string, cell: string][] {
  return Object.entries(record).flatMap(([name, value]: [string, unknown]) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isObject && Object.keys(value).length > 0) return writeLines(value, `${path}${name}.`);
    return [[path + name, writeCell(value)]];
  });
}

export function printTable(
  terminal: Terminal,
  records: readonly Written[],
  columns: readonly string[],
): void {
  const lines = records.map((record) => {
    const fields = new Map<string, unknown>(Object.entries(record));
    const cells = columns.map((column) => writeCell(fields.get(column)));
    // The last column may be wider, because no column follows it.
    return cells.map((cell, at) => cut(cell, at === cells.length - 1 ? WIDEST_LAST : WIDEST));
  });
  printColumns(terminal, [columns.map((column) => column.toUpperCase()), ...lines]);
}

function printColumns(terminal: Terminal, lines: readonly (readonly string[])[]): void {
  const widths: number[] = [];
  for (const line of lines) {
    for (const [at, cell] of line.entries()) widths[at] = Math.max(widths[at] ?? 0, widthOf(cell));
  }
  for (const line of lines) {
    const cells = line.map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - widthOf(cell)));
    terminal.print(`${cells.join('  ').trimEnd()}\n`);
  }
}

/** In code points. A wide character shifts its line by one. */
const widthOf = (text: string) => Array.from(text).length;

function writeCell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'string') return toOneLine(value) || '-';
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Object.keys(value).length === 0) return '-';
  const isPlainList = Array.isArray(value) && value.every((item) => typeof item !== 'object');
  return isPlainList ? value.map(writeCell).join(', ') : toOneLine(JSON.stringify(value));
}

const WIDEST = 60;
const WIDEST_LAST = 400;

function cut(text: string, widest: number): string {
  const characters = Array.from(text);
  return characters.length <= widest ? text : `${characters.slice(0, widest - 1).join('')}…`;
}
