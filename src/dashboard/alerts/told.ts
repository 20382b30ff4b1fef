/** Who is notified of the alerts of a cron or queue, in words. */
import { type AlertSettings, DEFAULT_REF } from '#domain/alert-settings';
import type { AlertLevel } from '#domain/alert-streak';
import type { Work } from '../services.ts';
import { nameLevel, nameOfChannel, presentRefs } from './alert-words.ts';

/** `Failure: On call, Default channel · Recovery: nobody`; null if all alerts go to the default channel. */
export async function readTold(
  work: Work,
  teamId: string,
  { channels }: AlertSettings,
  levels: readonly AlertLevel[],
): Promise<string | null> {
  if (Object.keys(channels).length === 0) return null;
  const choices = await work.listChannelChoices(teamId);
  const told = levels.map((level) => {
    return { level, refs: presentRefs(channels[level] ?? [DEFAULT_REF], choices) };
  });
  if (told.every(({ refs }) => refs.join() === DEFAULT_REF)) return null;
  const names = new Map(choices.map((choice) => [choice.id, nameOfChannel(choice)]));
  const nameAll = (refs: readonly string[]) => refs.map((id) => names.get(id) ?? '').join(', ');
  return told
    .map(({ level, refs }) => `${nameLevel(level)}: ${nameAll(refs) || 'nobody'}`)
    .join(' · ');
}
