import type { HeaderList } from '#domain/exchange';
import { parseList } from '../database/parse-list.ts';
import type { Sealer } from '../database/seal.ts';

/** Headers as they are stored (§5.9): sealed JSON, or null for none. */
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
    : parseList<HeaderList[number]>(sealer.open(HEADERS_PLACE[table], sealed));
}

const HEADERS_PLACE = { jobs: 'jobs.headers', crons: 'crons.headers' };
