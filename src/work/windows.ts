import { isId } from '#domain/ids';
import { type AlertSource, coversSource, endOfWindow, isInsideWindow } from '#domain/maintenance';
import type { Store } from '#store/store';
import type { NamedSource, StoredWindow } from '#store/alerts/windows';
import type { WindowInput } from './resources/window.ts';

export type { NamedSource };

/** A maintenance window (§6.6) with its present state. */
export interface MaintenanceWindowView extends StoredWindow {
  state: 'active' | 'upcoming' | 'over';
  /** While the window is active: its end, in milliseconds since 1970. */
  activeUntil: number | null;
}

export type WindowOutcome =
  | { kind: 'done'; window: MaintenanceWindowView }
  | { kind: 'not-found' }
  /** The team has the maximum number of windows. */
  | { kind: 'too-many' };

/**
 * Managing a team's maintenance windows. Inputs have been read by resources/window.ts; ids may be any text. Crons and
 * queues of other teams are left out.
 */
export interface WindowWork {
  createWindow(teamId: string, input: WindowInput): Promise<WindowOutcome>;
  editWindow(teamId: string, windowId: string, input: WindowInput): Promise<WindowOutcome>;
  /** Mutes the whole team, or the given sources, for an hour from now. */
  startMaintenanceNow(teamId: string, covers: WindowInput['covers']): Promise<WindowOutcome>;
  /** Deletes a window, which ends it if it is active. False: no such window. */
  deleteWindow(teamId: string, windowId: string): Promise<boolean>;
  findWindow(teamId: string, windowId: string): Promise<MaintenanceWindowView | null>;
  /** Active windows first, then future ones, then past ones; each group by start, latest first. */
  listWindows(teamId: string): Promise<MaintenanceWindowView[]>;
  /** The active windows that mute a cron or a queue; without a source, those that mute the whole team. */
  listActiveWindows(teamId: string, source?: AlertSource): Promise<MaintenanceWindowView[]>;
  /** The sources that windows may cover and alerts may have: the crons by name, then the queues by name. */
  listAlertSources(teamId: string): Promise<NamedSource[]>;
}

const NOW_LASTS_MS = 3_600_000;
const NOW_IS_CALLED = 'Maintenance';
const ORDER = { active: 0, upcoming: 1, over: 2 } as const;

export function createWindowWork(store: Store): WindowWork {
  const { windows, clock } = store;
  const outcomeOf = (window: StoredWindow | null, otherwise: 'not-found' | 'too-many') =>
    window ? { kind: 'done' as const, window: viewOf(window, clock.now()) } : { kind: otherwise };
  const createWindow: WindowWork['createWindow'] = async (teamId, input) => {
    const covers = await keepOwn(store, teamId, input.covers);
    return outcomeOf(await windows.create(teamId, { ...input, covers }, clock.now()), 'too-many');
  };
  const listWindows = async (teamId: string) => {
    const now = clock.now();
    const all = (await windows.list(teamId)).map((window) => viewOf(window, now));
    return all.toSorted((a, b) => ORDER[a.state] - ORDER[b.state]);
  };
  return {
    createWindow,
    editWindow: async (teamId, windowId, input) => {
      if (!isId(windowId)) return { kind: 'not-found' };
      const covers = await keepOwn(store, teamId, input.covers);
      return outcomeOf(await windows.update(teamId, windowId, { ...input, covers }), 'not-found');
    },
    startMaintenanceNow: async (teamId, covers) => {
      const startsAt = clock.now();
      const endsAt = startsAt + NOW_LASTS_MS;
      return createWindow(teamId, {
        name: NOW_IS_CALLED,
        startsAt,
        endsAt,
        isWeekly: false,
        covers,
      });
    },
    deleteWindow: async (teamId, windowId) => isId(windowId) && windows.delete(teamId, windowId),
    findWindow: async (teamId, windowId) =>
      (await listWindows(teamId)).find(({ id }) => id === windowId) ?? null,
    listWindows,
    listActiveWindows: async (teamId, source) => {
      const all = await listWindows(teamId);
      return all.filter(
        (window) =>
          window.state === 'active' &&
          (source === undefined ? window.covers === 'team' : coversSource(window, source)),
      );
    },
    listAlertSources: (teamId) => windows.listSources(teamId),
  };
}

function viewOf(window: StoredWindow, now: number): MaintenanceWindowView {
  if (isInsideWindow(window, now)) {
    return { ...window, state: 'active', activeUntil: endOfWindow(window, now) };
  }
  const isToCome = window.isWeekly || now < window.startsAt;
  return { ...window, state: isToCome ? 'upcoming' : 'over', activeUntil: null };
}

async function keepOwn(
  { windows }: Store,
  teamId: string,
  covers: WindowInput['covers'],
): Promise<WindowInput['covers']> {
  if (covers === 'team') return covers;
  const own = new Set((await windows.listSources(teamId)).map(({ kind, id }) => `${kind}:${id}`));
  return covers.filter(({ kind, id }) => own.has(`${kind}:${id}`));
}
