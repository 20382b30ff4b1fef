/** The figures of a part as a section of docs/performance.md or docs/measurements.md. */

/** @param intro  lines above the table */
export function section(
  title: string,
  intro: readonly string[],
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return [`## ${title}`, '', ...intro.flatMap((line) => [line, '']), table(head, rows)].join('\n');
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = line(head.map((_, n) => (n === 0 ? '---' : '---:')));
  return [line(head), rule, ...rows.map(line)].join('\n');
}

export const format = (value: number) => Math.round(value).toLocaleString('en-US');
export const ms = (value: number) => `${value < 10 ? value.toFixed(1) : format(value)} ms`;
export const micros = (value: number) => `${value.toFixed(0)} µs`;

/** @param sorted  smallest first */
export function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
