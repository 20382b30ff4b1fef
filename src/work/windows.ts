import {
  type AlertSource,
  coversSource,
  endOfWindow,
  isInsideWindow,
} from '#domain/team/maintenance';
import type { Store } from '#store/store';
import type { NamedSource, StoredWindow } from '#store/alerts/windows';
import type { Doing } from './acting.ts';
import type { WindowInput } from './resources/window.ts';

export type { NamedSource };

export type { WindowInput };
export type MaintenanceWindowView = ReturnType<typeof viewOf>;

type WindowOutcome =
  | { kind: 'done'; window: MaintenanceWindowView }
  | { kind: 'not-found' }
  | { kind: 'too-many' };

const WHOLE_TEAM = 'mute the whole team';
const NOW_LASTS_MS = 3_600_000;
const NOW_IS_CALLED = 'Maintenance';
const ORDER = { active: 0, upcoming: 1, over: 2 } as const;

/**
 * Inputs were read by resources/window.ts; ids may be any text. Other teams' sources are
 * left out.
 */
export function createWindowWork(store: Store, doing: Doing) {
  const { windows, clock } = store;
  const createWindow = async (teamId: string, input: WindowInput): Promise<WindowOutcome> => {
    if (input.covers === 'team') doing.refuseMember(WHOLE_TEAM);
    const covers = await keepOwn(store, teamId, input.covers);
    const made = await windows.create(teamId, { ...input, covers }, clock.now());
    const window = await doing.recorded(teamId, 'window.created', made);
    return window ? { kind: 'done', window: viewOf(window, clock.now()) } : { kind: 'too-many' };
  };
  const listWindows = async (teamId: string) => {
    const now = clock.now();
    const all = (await windows.list(teamId)).map((window) => viewOf(window, now));
    return all.toSorted((a, b) => ORDER[a.state] - ORDER[b.state]);
  };
  const findWindow = async (teamId: string, windowId: string) =>
    (await listWindows(teamId)).find(({ id }) => id === windowId) ?? null;
  return {
    createWindow,
    editWindow: async (
      teamId: string,
      windowId: string,
      input: WindowInput,
    ): Promise<WindowOutcome> => {
      const before = await findWindow(teamId, windowId);
      if ([input, before].some((each) => each?.covers === 'team')) doing.refuseMember(WHOLE_TEAM);
      const covers = before && (await keepOwn(store, teamId, input.covers));
      const saved = covers && (await windows.update(teamId, windowId, { ...input, covers }));
      const window = await doing.recorded(teamId, 'window.edited', saved);
      return window ? { kind: 'done', window: viewOf(window, clock.now()) } : { kind: 'not-found' };
    },
    startMaintenanceNow: async (teamId: string, covers: WindowInput['covers']) => {
      const startsAt = clock.now();
      const endsAt = startsAt + NOW_LASTS_MS;
      const window = { name: NOW_IS_CALLED, startsAt, endsAt, isWeekly: false, covers };
      return createWindow(teamId, window);
    },
    /** An active one ends. False: no such window. */
    deleteWindow: async (teamId: string, windowId: string) => {
      const window = await findWindow(teamId, windowId);
      if (!window || !(await windows.delete(teamId, windowId))) return false;
      await doing.recorded(teamId, 'window.deleted', window);
      return true;
    },
    findWindow,
    /** Active windows first, then future ones, then past ones; each group by start, latest first. */
    listWindows,
    /** Without a source, those of the whole team. */
    listActiveWindows: async (teamId: string, source?: AlertSource) => {
      const all = await listWindows(teamId);
      return all.filter(
        (window) =>
          window.state === 'active' &&
          (source === undefined ? window.covers === 'team' : coversSource(window, source)),
      );
    },
    /** Crons by name, then queues by name. */
    listAlertSources: (teamId: string) => windows.listSources(teamId),
  };
}

function viewOf(window: StoredWindow, now: number) {
  const isActive = isInsideWindow(window, now);
  const isToCome = window.isWeekly || now < window.startsAt;
  const state: keyof typeof ORDER = isActive ? 'active' : isToCome ? 'upcoming' : 'over';
  return { ...window, state, activeUntil: isActive ? endOfWindow(window, now) : null };
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
