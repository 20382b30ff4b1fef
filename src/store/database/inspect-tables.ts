import { MINUTE_MS } from '#domain/base/instant';
import { countJobsFromLater, countPlannedTooLate, readTimes } from '../crons/planned-times.ts';
import { findApplied } from '../migrations/applied.ts';
import { compareMigrations } from '../migrations/migrations.ts';
import {
  readSighting,
  SIGHTING_KEYS,
  type UntrustedSignIn,
  type UntrustedHeader,
} from '../nodes/sightings.ts';
import type { Dialect } from './dialect.ts';
import { KEY_CHECK } from './seal.ts';

export type Ask = (text: string, ...parameters: number[]) => Promise<Record<string, unknown>[]>;

/** Throws as `findApplied` does. */
export async function inspectTables(ask: Ask, { name, $ }: Dialect, now: number) {
  const applied = await findApplied(ask, name);
  const isEmpty = applied.length === 0;
  const facts = isEmpty ? new Map<string, string>() : await readFacts(ask);
  return {
    isEmpty,
    ...compareMigrations(applied),
    sealedKeyCheck: facts.get(KEY_CHECK) ?? null,
    untrustedForwarding: readSighting<UntrustedHeader>(facts.get(SIGHTING_KEYS.untrustedHeaders)),
    untrustedSignIn: readSighting<UntrustedSignIn>(facts.get(SIGHTING_KEYS.untrustedSignIns)),
    plannedAhead: isEmpty ? { crons: 0, jobs: 0 } : await readPlannedAhead(ask, $(1), now),
  };
}

async function readFacts(ask: Ask): Promise<Map<string, string>> {
  const keys = [...Object.values(SIGHTING_KEYS), KEY_CHECK].map((key) => `'${key}'`);
  const rows = await ask(`select key, value from installation where key in (${keys.join(', ')})`);
  return new Map((rows as { key: string; value: string }[]).map(({ key, value }) => [key, value]));
}

async function readPlannedAhead(ask: Ask, parameter: string, now: number) {
  const times = await ask(readTimes(parameter), now);
  const [later] = await ask(countJobsFromLater(parameter), now + MINUTE_MS);
  return { crons: countPlannedTooLate(times as never, now), jobs: Number(later?.['jobs']) };
}
