import {
  coversSource,
  findMutingWindow,
  isInsideWindow,
  type AlertSource,
} from '#domain/maintenance';
import type { StoredWindow } from '#store/alerts/windows';
import type { Store } from '#store/store';
import { MOST_SOURCES } from './window-input.ts';

const HOUR_MS = 3_600_000;
/** Nobody means to mute for so little longer. */
const MORE_MS = 60_000;

/** A mute has an end: what nobody ends would be a fault that nobody hears of. */
export const MUTE_HOURS = { least: 1, most: 720 } as const;

/**
 * Mutes of chosen crons: each is a maintenance window (§6.6) from now on, so that what still fails at its end is told
 * and a streak goes on as if nothing had been muted.
 */
export interface CronMutes {
  /** Why there is no need to; null: it is muted for less, or not at all. */
  refuseMute(cronId: string): string | null;
  /** False: the team has as many windows as it may have. */
  mute(crons: readonly { id: string }[]): Promise<boolean>;
  /** Why it stays as it is; null: it is muted no more. */
  unmute(cronId: string): Promise<string | null>;
}

/** @param hours  how long new mutes last */
export async function openMutes(
  { windows, clock }: Store,
  teamId: string,
  hours: number,
): Promise<CronMutes> {
  const now = clock.now();
  const endsAt = now + hours * HOUR_MS;
  const known = await windows.list(teamId);
  return {
    refuseMute: (cronId) => {
      const longer = known.filter((window) => !window.isWeekly && window.endsAt > endsAt - MORE_MS);
      const by = findMutingWindow(longer, cron(cronId), now);
      return by && `it is muted for as long or longer by the maintenance window “${by.name}”`;
    },
    mute: async (crons) => {
      for (let from = 0; from < crons.length; from += MOST_SOURCES) {
        const covers = crons.slice(from, from + MOST_SOURCES).map(({ id }) => cron(id));
        const name = nameAt(now, from / MOST_SOURCES);
        const settings = { name, startsAt: now, endsAt, isWeekly: false, covers };
        if ((await windows.create(teamId, settings, now)) === null) return false;
      }
      return true;
    },
    unmute: async (cronId) => {
      const source = cron(cronId);
      const muting = known.filter(
        (each) => isInsideWindow(each, now) && coversSource(each, source),
      );
      if (muting.length === 0) return 'it was not muted';
      const stays = muting.find((window) => !isOwn(window));
      if (stays) return `the maintenance window “${stays.name}” mutes more than chosen crons`;
      await windows.uncover(teamId, source);
      return null;
    },
  };
}

const cron = (id: string): AlertSource => ({ kind: 'cron', id });

/** One that comes again, or covers the whole team, is not this cron's to end. */
function isOwn({ isWeekly, covers }: StoredWindow): boolean {
  return !isWeekly && covers !== 'team';
}

/** Names tell windows apart in the team's file. */
function nameAt(now: number, part: number): string {
  const time = new Date(now).toISOString().slice(0, 19).replace('T', ' ');
  return `Muted at ${time}${part === 0 ? '' : `, part ${part + 1}`}`;
}
