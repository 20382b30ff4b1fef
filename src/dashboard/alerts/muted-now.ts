import { LEVEL_NAMES } from '#domain/alerts/alert-words';
import { type AlertSettings, DEFAULT_REF } from '#domain/alerts/alert-settings';
import type { AlertLevel } from '#domain/alerts/alert-streak';
import type { MaintenanceWindowView, Work } from '../services.ts';
import { nameOfChannel, presentRefs } from './alert-words.ts';

export type ActiveWindow = Pick<MaintenanceWindowView, 'name' | 'activeUntil' | 'pausesRuns'>;

/** Without the covered sources, which may be many. */
export function shortenWindow({
  name,
  activeUntil,
  pausesRuns = false,
}: ActiveWindow): ActiveWindow {
  return { name, activeUntil, pausesRuns };
}

/** By the windows that are active. */
export async function readMutedNow(work: Work, teamId: string) {
  const windows = (await work.listWindows(teamId)).filter(({ state }) => state === 'active');
  return {
    team: windows.filter(({ covers }) => covers === 'team'),
    chosen: windows.filter(({ covers }) => covers !== 'team'),
  };
}

/** `Failure: On call, Default channel · Recovery: nobody`; null: all to the default. */
export async function describeRecipients(
  work: Work,
  teamId: string,
  { channels }: AlertSettings,
  levels: readonly AlertLevel[],
): Promise<string | null> {
  if (levels.every((level) => channels[level].join() === DEFAULT_REF)) return null;
  const choices = await work.listChannelChoices(teamId);
  const byLevel = levels.map((level) => {
    return { level, refs: presentRefs(channels[level], choices) };
  });
  if (byLevel.every(({ refs }) => refs.join() === DEFAULT_REF)) return null;
  const names = new Map(choices.map((choice) => [choice.id, nameOfChannel(choice)]));
  const nameAll = (refs: readonly string[]) => refs.map((id) => names.get(id) ?? '').join(', ');
  return byLevel
    .map(({ level, refs }) => `${LEVEL_NAMES[level]}: ${nameAll(refs) || 'nobody'}`)
    .join(' · ');
}
