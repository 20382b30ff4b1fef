/** `98.4 %`; rounded down, so a whole hundred stands only where nothing failed. */
export function formatRate(rate: number | null): string {
  return rate === null ? '–' : `${Math.floor(rate * 1000) / 10} %`;
}
