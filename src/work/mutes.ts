import { HOUR_MS } from '#domain/base/instant';
import {
  coversSource,
  findMutingWindow,
  isInsideWindow,
  type AlertSource,
} from '#domain/team/maintenance';
import type { StoredWindow } from '#store/alerts/windows';
import type { Store } from '#store/store';

/** Than a present one. */
const MORE_MS = 60_000;

/** Hours. A forgotten mute would hide failures. */
export const MUTE_HOURS = { least: 1, most: 720 } as const;

type Muted = { teamId: string; id: string; name: string };

/**
 * By a maintenance window (§6.6), so its end notifies of a failing cron. @returns the reason why not, following its
 * name; null: done
 */
export async function muteCron(
  { windows, clock }: Pick<Store, 'windows' | 'clock'>,
  { teamId, id, name }: Muted,
  hours: number,
): Promise<string | null> {
  const now = clock.now();
  const endsAt = now + hours * HOUR_MS;
  const known = await windows.list(teamId);
  const longer = known.filter((window) => !window.isWeekly && window.endsAt > endsAt - MORE_MS);
  const by = findMutingWindow(longer, source(id), now);
  if (by) return `it is muted for as long or longer by the maintenance window “${by.name}”`;
  const settings = { startsAt: now, endsAt, isWeekly: false, covers: [source(id)] };
  const made = await windows.create(teamId, { ...settings, name: nameAt(now, name) }, now);
  return made ? null : 'the team has as many maintenance windows as it may have';
}

/** @returns the reason why not, following its name; null: done */
export async function unmuteCron(
  { windows, clock }: Pick<Store, 'windows' | 'clock'>,
  { teamId, id }: Muted,
): Promise<string | null> {
  const now = clock.now();
  const known = await windows.list(teamId);
  const muting = known.filter(
    (each) => isInsideWindow(each, now) && coversSource(each, source(id)),
  );
  if (muting.length === 0) return 'it was not muted';
  const stays = muting.find((window) => !isOwn(window));
  if (stays) return `the maintenance window “${stays.name}” mutes more than chosen crons`;
  await windows.uncover(teamId, source(id));
  return null;
}

const source = (id: string): AlertSource => ({ kind: 'cron', id });

/** Not a weekly window, nor one of the whole team. */
function isOwn({ isWeekly, covers }: StoredWindow): boolean {
  return !isWeekly && covers !== 'team';
}

const NAME_CHARACTERS = 200;

/** Contains the time, because a team's file identifies windows by their names. */
function nameAt(now: number, name: string): string {
  const time = new Date(now).toISOString().slice(0, 19).replace('T', ' ');
  return `${Array.from(name).slice(0, NAME_CHARACTERS).join('')}, muted at ${time}`;
}
