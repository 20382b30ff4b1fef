import { countOf } from '#domain/amounts';
import type { DatabaseSize } from '#store/database/inspection';

/** With fewer runs, other data would distort the size per run. */
const FEWEST_RUNS = 1_000;
const DAYS = 7;

export function describeSize({ bytes, endedRuns, runsOfWeek }: DatabaseSize): string {
  const aDay = Math.round(runsOfWeek / DAYS);
  const stored = `${sizeOf(bytes)}, with about ${countOf(Math.round(endedRuns), 'run')} in the history`;
  if (endedRuns < FEWEST_RUNS) return `${stored}: too few to estimate its growth`;
  const each = bytes / endedRuns;
  const grows = `${count(aDay)} a day in the last seven, ${sizeOf(aDay * each)} a day`;
  return `${stored}, ${sizeOf(each)} for each; ${grows}, until as many are deleted (HISTORY_DAYS)`;
}

const count = (n: number): string => Math.round(n).toLocaleString('en-US');

function sizeOf(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}
