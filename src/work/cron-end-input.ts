import { type CronEnd, MOST_RUNS } from '#domain/cron-end';
import { parseUtc } from '#domain/instant';
import { rangeOf } from '#domain/limits';
import { type Fields, findGiven, Findings, readInteger, type Reading } from './fields.ts';

const TEXTS = {
  endsAt: 'The end must be a date and a time in UTC, such as 2026-12-31 18:00.',
  maxRuns: `The number of runs must be a whole number from ${rangeOf(MOST_RUNS)}.`,
} as const;

/**
 * Reads when a cron ends (§3.1): `ends_at` (UTC, as `2026-12-31 18:00` or as ISO 8601 with `Z`) and `max_runs`. What is
 * left out does not end it. An end that is past is taken: the cron has ended then. Never throws.
 */
export function readCronEnd(fields: Fields): Reading<CronEnd> {
  const findings = new Findings();
  const given = findGiven(fields, 'ends_at');
  const endsAt = given?.kind === 'string' ? parseUtc(given.value) : null;
  if (given !== null && endsAt === null) findings.add('ends_at', TEXTS.endsAt);
  const maxRuns = readInteger(fields, 'max_runs', findings);
  if (maxRuns !== null && (maxRuns < MOST_RUNS.least || maxRuns > MOST_RUNS.most))
    findings.add('max_runs', TEXTS.maxRuns);
  return findings.settle({ endsAt, maxRuns });
}
