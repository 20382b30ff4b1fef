import { TextField } from './Field.tsx';
import type { FieldErrors } from '../services.ts';
import classes from './Form.module.css';

type NumberFieldProps = {
  name: string;
  label: string;
  description: string;
  placeholder?: string;
  /** As typed: a text that is no number is shown again. */
  defaultValue: string;
  errors: FieldErrors | undefined;
};

/** A short field for a whole number. The server validates it. */
export function NumberField(props: NumberFieldProps) {
  return <TextField {...props} className={classes.short} inputMode="numeric" autoComplete="off" />;
}

type TimeoutFieldProps = {
  formValues: { timeout_seconds: string };
  errors: FieldErrors | undefined;
};

/** The request timeout of a cron or a queue. */
export function TimeoutField({ formValues, errors }: TimeoutFieldProps) {
  return (
    <NumberField
      name="timeout_seconds"
      label="Request timeout"
      description="Seconds for the whole request, 1 to 300."
      defaultValue={formValues.timeout_seconds}
      errors={errors}
    />
  );
}
