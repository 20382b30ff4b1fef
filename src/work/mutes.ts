import {
  coversSource,
  findMutingWindow,
  isInsideWindow,
  type AlertSource,
} from '#domain/maintenance';
import type { StoredWindow } from '#store/alerts/windows';
import type { Store } from '#store/store';

const HOUR_MS = 3_600_000;
/** A new mute must last at least this much longer than a present one. */
const MORE_MS = 60_000;

/** The range of a mute in hours. A mute always ends, because a forgotten one would hide failures. */
export const MUTE_HOURS = { least: 1, most: 720 } as const;

type Muted = { teamId: string; id: string; name: string };

/**
 * Mutes a cron by a maintenance window (§6.6) that begins now. So its end notifies of a cron that still fails, and
 * streaks continue as usual.
 *
 * @returns why it was not muted, in words that follow its name; null: it is done
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

/**
 * Ends the mute of a cron.
 *
 * @returns why it can't be ended, in words that follow its name; null: it is done
 */
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

/** Whether a mute may be ended for one cron: not a weekly window, nor one that covers the whole team. */
function isOwn({ isWeekly, covers }: StoredWindow): boolean {
  return !isWeekly && covers !== 'team';
}

const NAME_CHARACTERS = 200;

/** The name of a mute's window. It contains the time, because a team's file identifies windows by their names. */
function nameAt(now: number, name: string): string {
  const time = new Date(now).toISOString().slice(0, 19).replace('T', ' ');
  return `${Array.from(name).slice(0, NAME_CHARACTERS).join('')}, muted at ${time}`;
}
