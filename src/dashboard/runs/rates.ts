/** `98.4 %`; rounded down, so a whole hundred stands only where nothing failed. */
export function formatRate(rate: number | null): string {
  return rate === null ? '–' : `${Math.floor(rate * 1000) / 10} %`;
}

/** `1,240`, `12.5`, `0.4`: two digits behind the point of small numbers would be more than is known. */
export function formatRunsAnHour(runs: number | null): string {
  if (runs === null) return '–';
  return runs.toLocaleString('en', { maximumFractionDigits: runs < 100 ? 1 : 0 });
}
