/** Who is told of the alerts of a cron or queue, in words. */
import type { AlertSettings } from '#domain/alert-settings';
import type { AlertLevel } from '#domain/alert-streak';
import type { ChannelChoice, Work } from '../services.ts';
import { type AlertFormValues, formValuesOfAlerts, withPresent } from './alert-form-values.ts';
import { nameLevel, nameOfChannel } from './alert-words.ts';

/** Null if all alerts go to the default channel; then no channels are read. */
export async function readTold(
  work: Work,
  teamId: string,
  settings: AlertSettings,
  levels: readonly AlertLevel[],
): Promise<string | null> {
  if (Object.keys(settings.channels).length === 0) return null;
  return describeTold(formValuesOfAlerts(settings), await work.listChannelChoices(teamId), levels);
}

/** `Failure: On call, Default channel · Recovery: nobody`; null where all goes to the default. */
function describeTold(
  formValues: AlertFormValues,
  choices: readonly ChannelChoice[],
  levels: readonly AlertLevel[],
): string | null {
  const { channels } = withPresent(formValues, choices);
  const isDefault = levels.every((level) => channels[level].join() === 'default');
  if (isDefault) return null;
  const names = new Map(choices.map((choice) => [choice.id, nameOfChannel(choice)]));
  const tell = (level: AlertLevel) =>
    channels[level].map((id) => names.get(id) ?? '').join(', ') || 'nobody';
  return levels.map((level) => `${nameLevel(level)}: ${tell(level)}`).join(' · ');
}
