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
/** A new mute must last at least this much longer than a present one. */
const MORE_MS = 60_000;

/** The range of a mute in hours. A mute always ends, because nobody would hear of a failure under a forgotten one. */
export const MUTE_HOURS = { least: 1, most: 720 } as const;

/**
 * Mutes chosen crons by maintenance windows (§6.6) that begin now. So people are told at the end of what still fails,
 * and streaks continue as if nothing were muted.
 */
export interface CronMutes {
  /** Why a mute is not needed; null: the cron is muted for a shorter time, or not at all. */
  refuseMute(cronId: string): string | null;
  /** Mutes crons. False: the team has the maximum number of windows. */
  mute(crons: readonly { id: string }[]): Promise<boolean>;
  /** Ends the mute of a cron. Gives why it can't be ended; null: it is done. */
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

/** Whether a mute may be ended for one cron: not a weekly window, nor one that covers the whole team. */
function isOwn({ isWeekly, covers }: StoredWindow): boolean {
  return !isWeekly && covers !== 'team';
}

/** The name of a mute's window. It contains the time, because a team's file identifies windows by their names. */
function nameAt(now: number, part: number): string {
  const time = new Date(now).toISOString().slice(0, 19).replace('T', ' ');
  return `Muted at ${time}${part === 0 ? '' : `, part ${part + 1}`}`;
}
