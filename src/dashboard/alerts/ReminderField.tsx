import type { AlertFormValues } from './alert-form-values.ts';
import { ChoiceField } from '../forms/Field.tsx';
import type { FieldErrors } from '../services.ts';

const reminders = [
  { value: '', text: 'None' },
  { value: '1', text: 'Every hour' },
  { value: '6', text: 'Every 6 hours' },
  { value: '24', text: 'Every day' },
];

/** How often the failure of a cron or queue is told again. */
export function ReminderField({
  formValues,
  errors,
  description,
}: {
  formValues: AlertFormValues;
  errors: FieldErrors | undefined;
  description: string;
}) {
  return (
    <ChoiceField
      name="remind_hours"
      label="Reminders"
      description={description}
      choices={reminders}
      defaultValue={formValues.remind_hours}
      errors={errors}
    />
  );
}
