/** The search of the list of crons, as it stands in the address. */
import type { CronSearch } from '../services.ts';

const statuses = ['active', 'paused', 'failed'] as const;

const mostCharacters = 2048;

/** What the address asks for; null where it asks for nothing. */
export function readCronFilter(params: URLSearchParams): CronSearch | null {
  const text = (params.get('q') ?? '').trim().slice(0, mostCharacters);
  const status = statuses.find((known) => known === params.get('status'));
  if (text === '' && !status) return null;
  return { ...(text === '' ? {} : { text }), ...(status ? { status } : {}) };
}
