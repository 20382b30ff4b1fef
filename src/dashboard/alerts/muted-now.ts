/** What maintenance windows (§6.6) mute at this moment, as lists and the overview show it. */
import type { AlertSource } from '#domain/maintenance';
import type { MaintenanceWindowView, Work } from '../services.ts';

/** An active window, as far as a page tells of it. */
export type ActiveWindow = Pick<MaintenanceWindowView, 'name' | 'activeUntil'>;

export type MutedNow = {
  /** Mute everything of the team. */
  team: ActiveWindow[];
  /** Mute chosen crons and queues. */
  chosen: ActiveWindow[];
  /** Of the asked crons or queues: what mutes each beside the windows of the whole team. */
  byId: Record<string, ActiveWindow[]>;
};

/** @param kind  of what `ids` name, the rows of a list */
export async function readMutedNow(
  work: Work,
  teamId: string,
  kind: AlertSource['kind'] = 'cron',
  ids: readonly string[] = [],
): Promise<MutedNow> {
  const windows = (await work.listWindows(teamId)).filter(({ state }) => state === 'active');
  const muted: MutedNow = { team: [], chosen: [], byId: {} };
  const asked = new Set(ids);
  for (const { name, activeUntil, covers } of windows) {
    const window = { name, activeUntil };
    if (covers === 'team') {
      muted.team.push(window);
      continue;
    }
    muted.chosen.push(window);
    for (const source of covers)
      if (source.kind === kind && asked.has(source.id)) (muted.byId[source.id] ??= []).push(window);
  }
  return muted;
}
