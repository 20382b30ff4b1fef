/** `98.4 %`; rounded down, so that 100 % is only shown if nothing failed. */
export function formatRate(rate: number | null): string {
  return rate === null ? '–' : `${Math.floor(rate * 1000) / 10} %`;
}

/** `1,240`, `12.5`, `0.4`: a second decimal would be more exact than what is known. */
export function formatRunsAnHour(runs: number | null): string {
  if (runs === null) return '–';
  return runs.toLocaleString('en', { maximumFractionDigits: runs < 100 ? 1 : 0 });
}
