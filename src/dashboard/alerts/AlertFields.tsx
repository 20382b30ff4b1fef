import type { ReactNode } from 'react';
import { ALERT_LEVELS } from '#domain/alert-settings';
import classes from '../forms/Form.module.css';
import type { ChannelChoice, FieldErrors } from '../services.ts';
import type { AlertFormValues } from './alert-form-values.ts';
import { ChannelChoices } from './ChannelChoices.tsx';
import { NoteFields } from './NoteFields.tsx';
import { ReminderField } from './ReminderField.tsx';
import { SlowFields } from './SlowFields.tsx';

type AlertFieldsProps = {
  formValues: AlertFormValues;
  errors: FieldErrors | undefined;
  choices: readonly ChannelChoice[];
  /** What is said of channels and of reminders. */
  channelNote: string;
  reminderNote: string;
  /** When it tells of failures. */
  children: ReactNode;
};

/** The alerts of a cron or a queue. */
export function AlertFields(props: AlertFieldsProps) {
  const { formValues, errors, choices, channelNote, reminderNote, children } = props;
  return (
    <div className={classes.fields}>
      {children}
      <SlowFields formValues={formValues} errors={errors} />
      <ChannelChoices
        formValues={formValues}
        errors={errors}
        choices={choices}
        levels={ALERT_LEVELS}
        note={channelNote}
      />
      <div className={classes.short}>
        <ReminderField formValues={formValues} errors={errors} description={reminderNote} />
      </div>
      <NoteFields formValues={formValues} errors={errors} />
    </div>
  );
}
