/** Maintenance windows (§6.6): when a team wants no alerts, and about which crons and queues. */

/** The cron or queue of an alert. */
export interface AlertSource {
  kind: 'cron' | 'queue';
  id: string;
}

export interface MaintenanceWindow {
  /** The first moment inside the window, in milliseconds since 1970 UTC. */
  startsAt: number;
  /** The first moment outside the window again. */
  endsAt: number;
  /** Whether the window repeats every week from the first time on. In UTC every week has the same length. */
  isWeekly: boolean;
  /** 'team': all crons and queues of the team. */
  covers: 'team' | readonly AlertSource[];
}

export const WEEK_MS = 7 * 24 * 3600 * 1000;

export function isInsideWindow({ startsAt, endsAt, isWeekly }: WindowTimes, at: number): boolean {
  if (at < startsAt) return false;
  const sinceStart = isWeekly ? (at - startsAt) % WEEK_MS : at - startsAt;
  return sinceStart < endsAt - startsAt;
}

type WindowTimes = Pick<MaintenanceWindow, 'startsAt' | 'endsAt' | 'isWeekly'>;

/** The end of a window, given a moment `at` inside it. */
export function endOfWindow({ startsAt, endsAt, isWeekly }: WindowTimes, at: number): number {
  return isWeekly ? endsAt + Math.floor((at - startsAt) / WEEK_MS) * WEEK_MS : endsAt;
}

export function coversSource({ covers }: Pick<MaintenanceWindow, 'covers'>, source: AlertSource) {
  if (covers === 'team') return true;
  return covers.some(({ kind, id }) => kind === source.kind && id === source.id);
}

/** The first window that mutes alerts about `source` at that moment, or null. */
export function findMutingWindow<Window extends MaintenanceWindow>(
  windows: readonly Window[],
  source: AlertSource,
  at: number,
): Window | null {
  return (
    windows.find((window) => isInsideWindow(window, at) && coversSource(window, source)) ?? null
  );
}
