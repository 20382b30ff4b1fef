import { isId } from '#domain/base/ids';
import { formatMillis } from '#domain/base/instant';
import type { JsonField } from '#domain/json/text';
import { LIMITS } from '#domain/base/limits';
import { type AlertSource, WEEK_MS } from '#domain/team/maintenance';
import type { WindowSettings } from '#store/alerts/windows';
import { type Fields, findGiven, Findings, isName, type Reading } from '../fields.ts';
import { boolean, instant, text } from './kinds.ts';
import { type Resource, takeWhole } from './resource.ts';

export type WindowInput = WindowSettings;

const MOST_SOURCES = 500;
/** Every claim of the team reads them. */
const MOST_PAUSED = 50;

export const TOO_MANY_PAUSED = `A window that pauses runs can name up to ${MOST_PAUSED} crons and queues. Choose fewer, or the whole team.`;

export function coversTooMany({ pausesRuns, covers }: WindowInput): boolean {
  return pausesRuns === true && covers !== 'team' && covers.length > MOST_PAUSED;
}

/** As the team file writes them: `2026-11-21T22:00:00Z`. */
const format = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** §6.6; without the sources that it covers. */
export const WINDOW: Resource<Omit<WindowInput, 'covers'>> = {
  name: text('name', {
    missing: 'A name for the maintenance window is required.',
    rules: [isName('name')],
    most: LIMITS.nameCharacters,
    option: { flags: '--name <N>', help: 'its name' },
  }),
  startsAt: instant('starts_at', {
    missing: 'A start is required.',
    wrong: 'The start must be a date and a time in UTC, such as 2026-11-21 22:00.',
    format,
    record: (ms) => ({ starts_at: formatMillis(ms) }),
    option: { flags: '--starts-at <TIME>', help: 'when it starts, in UTC: "2026-11-21 22:00"' },
  }),
  endsAt: instant('ends_at', {
    missing: 'An end is required.',
    wrong: 'The end must be a date and a time in UTC, such as 2026-11-22 02:00.',
    format,
    record: (ms) => ({ ends_at: formatMillis(ms) }),
    option: { flags: '--ends-at <TIME>', help: 'when it ends' },
  }),
  isWeekly: boolean('is_weekly', {
    initial: false,
    isAlwaysWritten: true,
    option: {
      flags: '--weekly',
      help: 'repeat it every week',
      opposite: { long: 'once', help: 'do not repeat it' },
    },
  }),
  pausesRuns: boolean('pauses_runs', {
    initial: false,
    option: {
      flags: '--pause-runs',
      help: 'its queues hold their jobs, and its crons skip their times',
      opposite: { long: 'keep-runs', help: 'runs continue' },
    },
  }),
};

/**
 * Also `covers` (`team`, the default, or `chosen`) and `sources` (`cron:<id>`,
 * `queue:<id>`). Doesn't check that the team has them. Never throws.
 */
export function readWindowInput(fields: Fields): Reading<WindowInput> {
  const findings = new Findings();
  const window = takeWhole(WINDOW, fields, findings);
  checkTimes(window, findings);
  const covers = readCovers(fields, findings);
  if (coversTooMany({ ...window, covers })) findings.add('sources', TOO_MANY_PAUSED);
  return findings.settle({ ...window, covers });
}

/** A time that was reported as wrong is missing. */
export function checkTimes(
  { startsAt, endsAt, isWeekly }: Partial<Omit<WindowInput, 'covers'>>,
  findings: Findings,
): void {
  if (startsAt === undefined || endsAt === undefined) return;
  if (endsAt <= startsAt) findings.add('ends_at', 'The end must be after the start.');
  else if (isWeekly && endsAt - startsAt > WEEK_MS)
    findings.add('ends_at', 'A weekly maintenance window can last 7 days at most.');
}

function readCovers(fields: Fields, findings: Findings): WindowInput['covers'] {
  const given = findGiven(fields, 'covers');
  if (given === null || isText(given, 'team')) return 'team';
  if (!isText(given, 'chosen')) {
    findings.add('covers', 'Choose the whole team, or crons and queues.');
    return 'team';
  }
  const sources = readSources(findGiven(fields, 'sources'));
  if (sources === null)
    findings.add(
      'sources',
      `The chosen crons and queues must be a list of up to ${MOST_SOURCES}, such as cron:<id>.`,
    );
  else if (sources.length === 0) findings.add('sources', 'Choose at least one cron or queue.');
  return sources ?? [];
}

function isText(given: JsonField, text: string): boolean {
  return given.kind === 'string' && given.value === text;
}

/** A form with one choice sends a text. Null: not a list of sources. */
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
