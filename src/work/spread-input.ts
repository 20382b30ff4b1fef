import { parseRate, type Rate } from '#domain/rate';
import { RATE_RULE } from './queue-input.ts';

/** Reads at which rate a retry is to be spread: `10/second`; undefined for a blank text, which spreads nothing. */
export function readSpread(text: string): { rate: Rate | undefined } | { error: string } {
  if (text.trim() === '') return { rate: undefined };
  const rate = parseRate(text);
  return rate ? { rate } : { error: `${RATE_RULE}.` };
}
