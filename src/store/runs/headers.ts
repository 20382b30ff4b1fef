import type { HeaderList } from '#domain/http/exchange';
import { parseList } from '../database/parse-list.ts';
import { remembered } from '../database/remembered.ts';
import type { Sealer } from '../database/seal.ts';

type Table = 'jobs' | 'crons';

const HEADERS_PLACE = { jobs: 'jobs.headers', crons: 'crons.headers' };

/** Sealing costs more than the rest of a job, and most headers of a team are equal. */
const caches = new WeakMap<
  Sealer,
  { sealed: Map<string, string>; opened: Map<string, HeaderList> }
>();

function cacheOf(sealer: Sealer) {
  let cache = caches.get(sealer);
  if (!cache) caches.set(sealer, (cache = { sealed: new Map(), opened: new Map() }));
  return cache;
}

/** Encrypted JSON (§5.9). Equal headers of a team are encrypted once; those of two teams never look equal. */
export function sealHeaders(
  sealer: Sealer,
  table: Table,
  teamId: string,
  headers: HeaderList,
): string | null {
  if (headers.length === 0) return null;
  const text = JSON.stringify(headers);
  return remembered(cacheOf(sealer).sealed, `${teamId} ${table} ${text}`, () =>
    sealer.seal(HEADERS_PLACE[table], text),
  );
}

export function openHeaders(sealer: Sealer, table: Table, sealed: string | null): HeaderList {
  if (sealed === null) return NO_HEADERS;
  return remembered(cacheOf(sealer).opened, `${table} ${sealed}`, () =>
    parseList<HeaderList[number]>(sealer.open(HEADERS_PLACE[table], sealed)),
  );
}

const NO_HEADERS: HeaderList = [];
