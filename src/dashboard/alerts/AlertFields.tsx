import { LEVEL_NAMES } from '#domain/alerts/alert-words';
import { nameOfKind } from '#domain/alerts/notification-channel';
import { ALERT_LEVELS, NOTE_CHARACTERS } from '#domain/alerts/alert-settings';
import type { AlertLevel } from '#domain/alerts/alert-streak';
import { CERTIFICATE_DAYS } from '#domain/http/certificate';
import { rangeOf } from '#domain/base/limits';
import { SLOW_SECONDS } from '#domain/alerts/slow-runs';
import { channelsField } from '#work/resources/alerts';
import { CheckField, ChoiceField, NumberField, TextField, UrlField } from '../forms/Field.tsx';
import { useShown } from '../forms/Form.tsx';
import { listIn } from '../forms/values.ts';
import type { ChannelChoice } from '../services.ts';
import { channelsShown } from '../work-forms/form-values.ts';
import { nameOfChannel, presentRefs } from './alert-words.ts';
import classes from './Alerts.module.css';

const reminders = [
  { value: '', text: 'None' },
  { value: '1', text: 'Every hour' },
  { value: '6', text: 'Every 6 hours' },
  { value: '24', text: 'Every day' },
];

type AlertFieldsProps = {
  choices: readonly ChannelChoice[];
  channelNote: string;
  reminderNote: string;
};

export function AlertFields({ choices, channelNote, reminderNote }: AlertFieldsProps) {
  const { values, errors } = useShown();
  const refsOf = (level: AlertLevel) => presentRefs(listIn(values, channelsField(level)), choices);
  const error = ALERT_LEVELS.flatMap((level) => errors[channelsField(level)] ?? []).join(' ');
  return (
    <>
      <NumberField
        name="slow_seconds"
        label="Slow after"
        description={`Seconds that one run takes, ${rangeOf(SLOW_SECONDS)}. You get a warning when runs become slow and a recovery when they are fast again. Empty: none.`}
        placeholder="none"
      />
      <CheckField
        name="certificate_alerts"
        label="Warn about certificates"
        description={`Raises one alert for each TLS certificate of a target that ends within ${CERTIFICATE_DAYS} days.`}
      />
      <fieldset className={classes.choices}>
        <legend>Who is notified</legend>
        <p className="quiet">{channelNote}</p>
        <input type="hidden" name={channelsShown} value="1" />
        <table>
          <thead>
            <tr>
              <th scope="col">Channel</th>
              {ALERT_LEVELS.map((level) => (
                <th key={level} scope="col">
                  {LEVEL_NAMES[level]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {choices.map((choice) => (
              <tr key={choice.id}>
                <th scope="row">
                  {nameOfChannel(choice)} <span className="muted">{nameOfKind(choice.kind)}</span>
                </th>
                {ALERT_LEVELS.map((level) => (
                  <td key={level}>
                    <input
                      type="checkbox"
                      name={channelsField(level)}
                      value={choice.id}
                      aria-label={`${nameOfChannel(choice)}: ${LEVEL_NAMES[level]}`}
                      defaultChecked={refsOf(level).includes(choice.id)}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {error ? <p className="wrong">{error}</p> : null}
      </fieldset>
      <ChoiceField
        name="remind_hours"
        label="Reminders"
        description={reminderNote}
        choices={reminders}
        isShort
      />
      <TextField
        name="alert_note"
        label="Note"
        description="Included in notifications: the next step, or a contact."
        maxLength={NOTE_CHARACTERS}
        autoComplete="off"
      />
      <UrlField name="runbook_url" label="Runbook" description="Notifications link to this page." />
    </>
  );
}
