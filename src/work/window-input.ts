import { isId } from '#domain/ids';
import { parseUtc } from '#domain/instant';
import type { JsonField } from '#domain/json-text';
import { type AlertSource, WEEK_MS } from '#domain/maintenance';
import type { WindowSettings } from '#store/alerts/windows';
import { type Fields, Findings, type Reading, findGiven, isAtMost, isName } from './fields.ts';
import { readBoolean, readRequiredText } from './fields.ts';
import { LIMITS } from '#domain/limits';

export type WindowInput = WindowSettings;

/** The most crons and queues that one window may name. */
export const MOST_SOURCES = 500;

const TEXTS = {
  nameRequired: 'A name for the maintenance window is required.',
  startRequired: 'A start is required.',
  endRequired: 'An end is required.',
  startUnreadable: 'The start must be a date and a time in UTC, such as 2026-11-21 22:00.',
  endUnreadable: 'The end must be a date and a time in UTC, such as 2026-11-22 02:00.',
  endsTooEarly: 'The end must be after the start.',
  weekTooLong: 'A weekly maintenance window can last 7 days at most.',
  coversUnknown: 'Choose the whole team, or crons and queues.',
  sourcesMissing: 'Choose at least one cron or queue.',
  sourcesUnreadable: `The chosen crons and queues must be a list of up to ${MOST_SOURCES}, such as cron:<id>.`,
} as const;

/**
 * Reads a maintenance window (§6.6): `name`, `starts_at` and `ends_at` (UTC, as `2026-11-21 22:00` or as ISO
 * 8601 with `Z`), `is_weekly`, `covers` (`team`, the default, or `chosen`) and `sources` (a list of `cron:<id>`
 * and `queue:<id>`). Whether the team has what is chosen is not asked here. Never throws.
 */
export function readWindowInput(fields: Fields): Reading<WindowInput> {
  const findings = new Findings();
  const name = readRequiredText(fields, 'name', NAME, findings);
  const startsAt = readInstant(fields, 'starts_at', START, findings);
  const endsAt = readInstant(fields, 'ends_at', END, findings);
  const isWeekly = readBoolean(fields, 'is_weekly', false, findings);
  if (startsAt !== null && endsAt !== null) {
    if (endsAt <= startsAt) findings.add('ends_at', TEXTS.endsTooEarly);
    else if (isWeekly && endsAt - startsAt > WEEK_MS) findings.add('ends_at', TEXTS.weekTooLong);
  }
  const covers = readCovers(fields, findings);
  return findings.settle({ name, startsAt: startsAt ?? 0, endsAt: endsAt ?? 0, isWeekly, covers });
}

const NAME = {
  missing: TEXTS.nameRequired,
  rules: [isName('name'), isAtMost('name', LIMITS.nameCharacters)],
};
const START = { missing: TEXTS.startRequired, unreadable: TEXTS.startUnreadable };
const END = { missing: TEXTS.endRequired, unreadable: TEXTS.endUnreadable };

function readInstant(
  fields: Fields,
  field: string,
  texts: { missing: string; unreadable: string },
  findings: Findings,
): number | null {
  const given = findGiven(fields, field);
  if (given === null) {
    findings.add(field, texts.missing);
    return null;
  }
  const at = given.kind === 'string' ? parseUtc(given.value) : null;
  if (at === null) findings.add(field, texts.unreadable);
  return at;
}

function readCovers(fields: Fields, findings: Findings): WindowInput['covers'] {
  const given = findGiven(fields, 'covers');
  if (given === null || isText(given, 'team')) return 'team';
  if (!isText(given, 'chosen')) {
    findings.add('covers', TEXTS.coversUnknown);
    return 'team';
  }
  const sources = readSources(findGiven(fields, 'sources'));
  if (sources === null) findings.add('sources', TEXTS.sourcesUnreadable);
  else if (sources.length === 0) findings.add('sources', TEXTS.sourcesMissing);
  return sources ?? [];
}

function isText(given: JsonField, text: string): boolean {
  return given.kind === 'string' && given.value === text;
}

/** Reads the list of sources; a form with one choice sends a text. Null: not a list of sources. */
function readSources(given: JsonField | null): AlertSource[] | null {
  if (given === null) return [];
  const items: unknown =
    given.kind === 'string' ? [given.value] : (JSON.parse(given.raw) as unknown);
  if (!Array.isArray(items) || items.length > MOST_SOURCES) return null;
  const sources = new Map<string, AlertSource>();
  for (const item of items as unknown[]) {
    const [, kind, id = ''] =
      typeof item === 'string' ? (/^(cron|queue):(.*)$/.exec(item) ?? []) : [];
    if ((kind !== 'cron' && kind !== 'queue') || !isId(id)) return null;
    sources.set(`${kind} ${id}`, { kind, id });
  }
  return [...sources.values()];
}
