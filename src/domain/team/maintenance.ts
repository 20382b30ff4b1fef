import { DAY_MS } from '../base/instant.ts';

export interface AlertSource {
  kind: 'cron' | 'queue';
  id: string;
}

export interface MaintenanceWindow {
  startsAt: number;
  /** Exclusive. */
  endsAt: number;
  /** Weekly. In UTC every week has the same length. */
  isWeekly: boolean;
  covers: 'team' | readonly AlertSource[];
}

export const WEEK_MS = 7 * DAY_MS;

export function isInsideWindow({ startsAt, endsAt, isWeekly }: WindowTimes, at: number): boolean {
  if (at < startsAt) return false;
  const sinceStart = isWeekly ? (at - startsAt) % WEEK_MS : at - startsAt;
  return sinceStart < endsAt - startsAt;
}

type WindowTimes = Pick<MaintenanceWindow, 'startsAt' | 'endsAt' | 'isWeekly'>;

export function endOfWindow({ startsAt, endsAt, isWeekly }: WindowTimes, at: number): number {
  return isWeekly ? endsAt + Math.floor((at - startsAt) / WEEK_MS) * WEEK_MS : endsAt;
}

/**
 * When the last active one ends; null if none covers the source (§6.6).
 * @param windows those during which no run starts
 */
export function findPauseEnd(
  windows: readonly MaintenanceWindow[],
  source: AlertSource,
  at: number,
): number | null {
  const active = windows.filter((each) => isInsideWindow(each, at) && coversSource(each, source));
  return active.length === 0 ? null : Math.max(...active.map((each) => endOfWindow(each, at)));
}

export function coversSource({ covers }: Pick<MaintenanceWindow, 'covers'>, source: AlertSource) {
  if (covers === 'team') return true;
  return covers.some(({ kind, id }) => kind === source.kind && id === source.id);
}

export function findMutingWindow<Window extends MaintenanceWindow>(
  windows: readonly Window[],
  source: AlertSource,
  at: number,
): Window | null {
  return (
    windows.find((window) => isInsideWindow(window, at) && coversSource(window, source)) ?? null
  );
}
