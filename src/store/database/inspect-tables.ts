import { DAY_MS, MINUTE_MS } from '#domain/instant';
import { countJobsFromLater, countPlannedTooLate, readTimes } from '../crons/planned-times.ts';
import { IS_ENDED } from '../figures/outcomes.ts';
import { findApplied } from '../migrations/applied.ts';
import { compareMigrations } from '../migrations/migrations.ts';
import { STRANGE_SIGN_INS } from '../nodes/strange-sign-ins.ts';
import { UNTRUSTED_HEADERS } from '../nodes/untrusted-headers.ts';
import type { Dialect } from './dialect.ts';
import { KEY_CHECK } from './seal.ts';

export type Ask = (text: string, ...parameters: number[]) => Promise<Record<string, unknown>[]>;

/** Examines the tables, by the same statements on both databases. Throws as `findApplied` does. */
export async function inspectTables(ask: Ask, { name, $ }: Dialect, now: number) {
  const applied = await findApplied(ask, name);
  const isEmpty = applied.length === 0;
  const facts = isEmpty ? new Map<string, string>() : await readFacts(ask);
  const untrustedHeader = facts.get(UNTRUSTED_HEADERS.key);
  const strangeSignIn = facts.get(STRANGE_SIGN_INS.key);
  return {
    isEmpty,
    ...compareMigrations(applied),
    sealedKeyCheck: facts.get(KEY_CHECK) ?? null,
    untrustedForwarding:
      untrustedHeader === undefined ? null : UNTRUSTED_HEADERS.read(untrustedHeader),
    strangeSignIn: strangeSignIn === undefined ? null : STRANGE_SIGN_INS.read(strangeSignIn),
    plannedAhead: isEmpty ? { crons: 0, jobs: 0 } : await readPlannedAhead(ask, $(1), now),
    runsOfWeek: isEmpty ? 0 : await countRunsOfWeek(ask, $(1), now),
  };
}

async function readFacts(ask: Ask): Promise<Map<string, string>> {
  const keys = [UNTRUSTED_HEADERS.key, STRANGE_SIGN_INS.key, KEY_CHECK].map((key) => `'${key}'`);
  const rows = await ask(`select key, value from installation where key in (${keys.join(', ')})`);
  return new Map((rows as { key: string; value: string }[]).map(({ key, value }) => [key, value]));
}

async function readPlannedAhead(ask: Ask, parameter: string, now: number) {
  const times = await ask(readTimes(parameter), now);
  const [later] = await ask(countJobsFromLater(parameter), now + MINUTE_MS);
  return { crons: countPlannedTooLate(times as never, now), jobs: Number(later?.['jobs']) };
}

async function countRunsOfWeek(ask: Ask, parameter: string, now: number): Promise<number> {
  const runsIn = (table: string, condition = '') =>
    `(select coalesce(sum(runs), 0) from ${table} where hour >= ${parameter} ${condition})`;
  const [row] = await ask(
    `select ${runsIn('outcome_hours')} + ${runsIn('batch_counts', `and ${IS_ENDED}`)} as runs`,
    now - 7 * DAY_MS,
  );
  return Number(row?.['runs']);
}
