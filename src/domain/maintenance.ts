/** Maintenance windows (§6.6): when a team wants to hear nothing, and about what. */

/** What an alert is about. */
export interface AlertSource {
  kind: 'cron' | 'queue';
  id: string;
}

export interface MaintenanceWindow {
  /** Milliseconds since 1970 UTC; the first moment inside. */
  startsAt: number;
  /** The first moment that is outside again. */
  endsAt: number;
  /** The same again every week from the first time on. UTC has no daylight saving, so a week is a week. */
  isWeekly: boolean;
  /** 'team': everything of the team. */
  covers: 'team' | readonly AlertSource[];
}

export const WEEK_MS = 7 * 24 * 3600 * 1000;

export function isInsideWindow({ startsAt, endsAt, isWeekly }: WindowTimes, at: number): boolean {
  if (at < startsAt) return false;
  const sinceStart = isWeekly ? (at - startsAt) % WEEK_MS : at - startsAt;
  return sinceStart < endsAt - startsAt;
}

type WindowTimes = Pick<MaintenanceWindow, 'startsAt' | 'endsAt' | 'isWeekly'>;

/** The first moment after `at` that is outside a window that `at` is inside of. */
export function endOfWindow({ startsAt, endsAt, isWeekly }: WindowTimes, at: number): number {
  return isWeekly ? endsAt + Math.floor((at - startsAt) / WEEK_MS) * WEEK_MS : endsAt;
}

export function coversSource({ covers }: Pick<MaintenanceWindow, 'covers'>, source: AlertSource) {
  if (covers === 'team') return true;
  return covers.some(({ kind, id }) => kind === source.kind && id === source.id);
}

/** The first of the windows that mutes alerts about `source` at that moment, or null. */
export function findMutingWindow<Window extends MaintenanceWindow>(
  windows: readonly Window[],
  source: AlertSource,
  at: number,
): Window | null {
  return (
    windows.find((window) => isInsideWindow(window, at) && coversSource(window, source)) ?? null
  );
}
