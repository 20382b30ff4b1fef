import { countOf } from '#domain/base/amounts';
import type { DatabaseSize } from '#store/database/inspection';

/** With fewer runs, other data would distort the size per run. */
const FEWEST_RUNS = 1_000;
const DAYS = 7;
/** Of the whole. */
const MENTIONED = 0.05;

/** While nothing is deleted. Null with too few runs. */
export function growthPerDay({ usedBytes, endedRuns, runsOfWeek }: DatabaseSize): number | null {
  return endedRuns < FEWEST_RUNS ? null : (usedBytes / endedRuns) * (runsOfWeek / DAYS);
}

export function describeSize(size: DatabaseSize, maxBytes: number | null): string {
  const { bytes, usedBytes, endedRuns, runsOfWeek } = size;
  const limit = maxBytes === null ? '' : ` of ${sizeOf(maxBytes)} (HISTORY_MAX_MB)`;
  const free =
    bytes - usedBytes >= MENTIONED * bytes ? `, ${sizeOf(bytes - usedBytes)} more free to use` : '';
  const stored = `${sizeOf(usedBytes)}${limit}${free}, with about ${countOf(Math.round(endedRuns), 'run')} in the history`;
  const growth = growthPerDay(size);
  if (growth === null) return `${stored}: too few to estimate its growth`;
  const grows = `${count(runsOfWeek / DAYS)} a day in the last seven, ${sizeOf(growth)} a day`;
  const setting = maxBytes === null ? 'HISTORY_DAYS' : 'HISTORY_DAYS, HISTORY_MAX_MB';
  return `${stored}, ${sizeOf(usedBytes / endedRuns)} for each; ${grows}, until as many are deleted (${setting})`;
}

/** Growth between two looks is no finding. */
const EXCEEDED = 1.1;

export function exceeds({ usedBytes }: DatabaseSize, maxBytes: number | null): boolean {
  return maxBytes !== null && usedBytes > EXCEEDED * maxBytes;
}

const count = (n: number): string => Math.round(n).toLocaleString('en-US');

function sizeOf(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}
