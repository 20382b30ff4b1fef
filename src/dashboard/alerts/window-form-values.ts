import type { MaintenanceWindowView } from '../services.ts';

export type WindowFormValues = {
  name: string;
  /** In the format of the browser's field for a date and a time, `2026-11-21T22:00`; here it is UTC. */
  starts_at: string;
  ends_at: string;
  is_weekly: boolean;
  covers: 'team' | 'chosen';
  /** `cron:<id>`, `queue:<id>` */
  sources: string[];
};

const HOUR_MS = 3_600_000;

/** Exact to the minute; to the second if the window has seconds. */
export function writeInstant(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace(/:00$/, '');
}

/** Milliseconds since 1970 UTC; null if the text is no instant. */
export function parseInstant(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text)) return null;
  const at = Date.parse(`${text}Z`);
  return Number.isNaN(at) ? null : at;
}

/**
 * The values for a new window: an hour from the next full hour on, for `source`, or else for the whole team if the
 * person may mute it.
 */
export function beginFormValues(
  now: number,
  source: string | null,
  mayMuteTeam: boolean,
): WindowFormValues {
  const start = Math.ceil((now + 1) / HOUR_MS) * HOUR_MS;
  return {
    name: '',
    starts_at: writeInstant(start),
    ends_at: writeInstant(start + HOUR_MS),
    is_weekly: false,
    covers: source === null && mayMuteTeam ? 'team' : 'chosen',
    sources: source === null ? [] : [source],
  };
}

export function formValuesOfWindow({
  name,
  startsAt,
  endsAt,
  isWeekly,
  covers,
}: MaintenanceWindowView): WindowFormValues {
  return {
    name,
    starts_at: writeInstant(startsAt),
    ends_at: writeInstant(endsAt),
    is_weekly: isWeekly,
    covers: covers === 'team' ? 'team' : 'chosen',
    sources: covers === 'team' ? [] : covers.map(({ kind, id }) => `${kind}:${id}`),
  };
}
