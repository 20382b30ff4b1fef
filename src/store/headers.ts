import type { HeaderList } from '#domain/exchange';
import type { Sealer } from './seal.ts';

/** Configured headers at rest (D39): sealed JSON, or null for none. */
export function sealHeaders(
  sealer: Sealer,
  table: 'jobs' | 'crons',
  headers: HeaderList,
): string | null {
  return headers.length === 0 ? null : sealer.seal(HEADERS_PLACE[table], JSON.stringify(headers));
}

export function openHeaders(
  sealer: Sealer,
  table: 'jobs' | 'crons',
  sealed: string | null,
): HeaderList {
  return sealed === null
    ? []
    : (JSON.parse(sealer.open(HEADERS_PLACE[table], sealed)) as HeaderList);
}

const HEADERS_PLACE = { jobs: 'jobs.headers', crons: 'crons.headers' };
