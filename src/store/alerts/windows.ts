import { listSources } from './channels.ts';
import { newId } from '#domain/base/ids';
import { type AlertSource, coversSource, isInsideWindow } from '#domain/team/maintenance';
import type { Trx } from '../database/database.ts';
import { notifyStillFailing, notifyWindowEnds } from './window-ends.ts';
import {
  copyPausingWindows,
  readWindows,
  type StoredWindow,
  type WindowSettings,
  writeCovers,
} from './window-rows.ts';
import { lockTeam } from '../database/lock-team.ts';
import { add, atMost, change, count, first, remove } from '../database/rows.ts';
import type { Context } from '../database/context.ts';

export type { StoredWindow, WindowSettings };

export interface NamedSource extends AlertSource {
  name: string;
}

/** Bounds the comparisons per alert. Ended windows are kept until a new one needs their place. */
export const MOST_WINDOWS = 200;

/** A window may name deleted crons and queues; they are ignored. */
export const windows = {
  async notifyEnds({ main, clock, signals }: Context): Promise<void> {
    if (await notifyWindowEnds(main, clock.now())) signals.send([{ kind: 'notifications' }]);
  },

  /** Null: the team has the maximum number, and none of them has ended. */
  async create(
    { main }: Context,
    teamId: string,
    settings: WindowSettings,
    now: number,
  ): Promise<StoredWindow | null> {
    return main.transact(async (trx) => {
      await lockTeam(trx, teamId);
      const windows = await count(trx, 'maintenance_windows', { team_id: teamId }, MOST_WINDOWS);
      if (windows === MOST_WINDOWS && !(await deleteOldestEnded(trx, teamId, now))) return null;
      const id = newId(now);
      const columns = { team_id: teamId, id, created_at: now, ...columnsOf(settings) };
      await add(trx, 'maintenance_windows', columns);
      await copyPausingWindows(trx, teamId, now);
      return { pausesRuns: false, ...settings, teamId, id, createdAt: now };
    });
  },

  async update(
    context: Context,
    teamId: string,
    windowId: string,
    settings: WindowSettings,
  ): Promise<StoredWindow | null> {
    return changeWindows(context, teamId, async (trx) => {
      const columns = { ...columnsOf(settings), notified_until: null };
      await change(trx, 'maintenance_windows', { team_id: teamId, id: windowId }, columns);
      const window = findWindow(await readWindows(trx, [teamId]), windowId);
      return { result: window, isNotified: false };
    });
  },

  /** If it is active, notifies like any other end. False: no such window. */
  async delete(context: Context, teamId: string, windowId: string): Promise<boolean> {
    return changeWindows(context, teamId, async (trx, now) => {
      const windows = await readWindows(trx, [teamId]);
      const window = findWindow(windows, windowId);
      if (!(await deleteWindow(trx, teamId, windowId)) || !window)
        return { result: false, isNotified: false };
      const others = windows.filter(({ id }) => id !== windowId);
      return { result: true, isNotified: await notifyStillFailing(trx, window, others, now) };
    });
  },

  /** From active one-time windows. One that covers nothing has ended. Notifies like any end. */
  async uncover(context: Context, teamId: string, source: AlertSource): Promise<void> {
    await changeWindows(context, teamId, async (trx, now) => {
      const windows = await readWindows(trx, [teamId], { lock: 'for update' });
      const left = windows.map((window) => withoutSource(window, source, now));
      let isNotified = false;
      for (const [at, window] of windows.entries()) {
        const covers = left[at]?.covers;
        if (covers === undefined || covers === 'team' || covers === window.covers) continue;
        if (covers.length === 0) await deleteWindow(trx, teamId, window.id);
        else {
          const key = { team_id: teamId, id: window.id };
          await change(trx, 'maintenance_windows', key, { covers: writeCovers(covers) });
        }
        const taken = { ...window, covers: [source] };
        const isNew = await notifyStillFailing(trx, taken, left, now);
        isNotified ||= isNew;
      }
      return { result: undefined, isNotified };
    });
  },

  async find(context: Context, teamId: string, windowId: string): Promise<StoredWindow | null> {
    return findWindow(await windows.list(context, teamId), windowId);
  },

  async listSources({ main }: Context, teamId: string): Promise<NamedSource[]> {
    const rows = await listSources(main, { team_id: teamId });
    return rows.map(({ kind, id, name }) => ({ kind, id, name }));
  },

  async list({ main }: Context, teamId: string): Promise<StoredWindow[]> {
    const windows = await readWindows(main, [teamId]);
    return windows.toSorted((a, b) => b.startsAt - a.startsAt || (a.id < b.id ? 1 : -1));
  },
};

async function changeWindows<Result>(
  { clock, main, signals }: Context,
  teamId: string,
  act: (trx: Trx, now: number) => Promise<{ result: Result; isNotified: boolean }>,
): Promise<Result> {
  const now = clock.now();
  const { result, isNotified, isOther } = await main.transact(async (trx) => {
    await lockTeam(trx, teamId);
    const done = await act(trx, now);
    return { ...done, isOther: await copyPausingWindows(trx, teamId, now) };
  });
  if (isNotified) signals.send([{ kind: 'notifications' }]);
  // Any queue may have due jobs.
  if (isOther) signals.send([{ kind: 'unknown' }]);
  return result;
}

function findWindow(windows: readonly StoredWindow[], windowId: string): StoredWindow | null {
  return windows.find(({ id }) => id === windowId) ?? null;
}

function columnsOf(settings: WindowSettings) {
  const { name, startsAt, endsAt, isWeekly, covers, pausesRuns = false } = settings;
  return {
    name,
    starts_at: startsAt,
    ends_at: endsAt,
    is_weekly: isWeekly ? (1 as const) : (0 as const),
    covers: writeCovers(covers),
    pauses_runs: pausesRuns ? (1 as const) : (0 as const),
  };
}

async function deleteOldestEnded(trx: Trx, teamId: string, now: number): Promise<boolean> {
  const ended = { team_id: teamId, is_weekly: 0, ends_at: atMost(now) } as const;
  const choice = { columns: ['id'], order: ['ends_at', 'id'] } as const;
  const row = await first(trx, 'maintenance_windows', ended, choice);
  return row !== undefined && deleteWindow(trx, teamId, row.id);
}

async function deleteWindow(trx: Trx, teamId: string, windowId: string): Promise<boolean> {
  const removed = await remove(trx, 'maintenance_windows', { team_id: teamId, id: windowId });
  return removed === 1;
}

/** Unchanged unless it is active, comes once and names the source. */
function withoutSource(window: StoredWindow, source: AlertSource, now: number): StoredWindow {
  const { covers, isWeekly } = window;
  const names = covers !== 'team' && coversSource(window, source);
  if (isWeekly || !names || !isInsideWindow(window, now)) return window;
  return {
    ...window,
    covers: covers.filter(({ kind, id }) => kind !== source.kind || id !== source.id),
  };
}
