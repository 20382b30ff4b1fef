import type { PausingWindow } from '#domain/maintenance';
import type { Trx } from '../database/database.ts';
import { parseList } from '../database/parse-list.ts';
import { change, one } from '../database/rows.ts';
import { readWindows } from './window-rows.ts';

/**
 * Copies the windows that pause runs to the team's row. Call it in the transaction that changes windows, after
 * `lockTeam`. @returns whether the copy has changed
 */
export async function copyPausingWindows(trx: Trx, teamId: string, now: number): Promise<boolean> {
  const windows = await readWindows(trx, [teamId]);
  const pausing = windows.filter((each) => each.pausesRuns && (each.isWeekly || each.endsAt > now));
  const copy = pausing.map(({ startsAt, endsAt, isWeekly, covers }): PausingWindow => {
    return { startsAt, endsAt, isWeekly, covers };
  });
  const text = copy.length === 0 ? null : JSON.stringify(copy);
  const team = await one(trx, 'teams', { id: teamId }, ['pausing_windows']);
  if (!team || team.pausing_windows === text) return false;
  await change(trx, 'teams', { id: teamId }, { pausing_windows: text });
  return true;
}

/** A damaged text pauses nothing. */
export function readPausingWindows(text: string | null): PausingWindow[] {
  if (text === null) return [];
  try {
    return parseList(text);
  } catch {
    return [];
  }
}
