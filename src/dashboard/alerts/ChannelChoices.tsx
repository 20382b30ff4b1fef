import { channelsField } from '#work/resources/alerts';
import type { AlertLevel } from '#domain/alert-streak';
import type { ChannelChoice, FieldErrors } from '../services.ts';
import { nameChannel, nameLevel, nameOfChannel } from './alert-words.ts';
import classes from './Alerts.module.css';
import { channelsShown, type AlertFormValues, withPresent } from './alert-form-values.ts';

type ChannelChoicesProps = {
  formValues: AlertFormValues;
  errors: FieldErrors | undefined;
  choices: readonly ChannelChoice[];
  /** The levels that can be raised. */
  levels: readonly AlertLevel[];
  note: string;
};

/** Chooses which channels are notified, by level: a checkbox for each. */
export function ChannelChoices({ formValues, errors, choices, levels, note }: ChannelChoicesProps) {
  const { channels } = withPresent(formValues, choices);
  const error = levels.flatMap((level) => errors?.[channelsField(level)] ?? []).join(' ');
  return (
    <fieldset className={classes.choices}>
      <legend>Who is told</legend>
      <p className="muted">{note}</p>
      <input type="hidden" name={channelsShown} value="1" />
      <table>
        <thead>
          <tr>
            <th scope="col">Channel</th>
            {levels.map((level) => (
              <th key={level} scope="col">
                {nameLevel(level)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {choices.map((choice) => (
            <tr key={choice.id}>
              <th scope="row">
                {nameOfChannel(choice)} <span className="muted">{nameChannel(choice.kind)}</span>
              </th>
              {levels.map((level) => (
                <td key={level}>
                  <input
                    type="checkbox"
                    name={channelsField(level)}
                    value={choice.id}
                    aria-label={`${nameOfChannel(choice)}: ${nameLevel(level)}`}
                    defaultChecked={channels[level].includes(choice.id)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {error ? <p className={classes.error}>{error}</p> : null}
    </fieldset>
  );
}
