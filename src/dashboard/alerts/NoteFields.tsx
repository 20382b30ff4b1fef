import { LIMITS } from '#domain/limits';
import { NOTE_CHARACTERS } from '#domain/alert-settings';
import { TextField } from '../forms/Field.tsx';
import type { FieldErrors } from '../services.ts';
import type { AlertFormValues } from './alert-form-values.ts';

type NoteFieldsProps = { formValues: AlertFormValues; errors: FieldErrors | undefined };

/** Fields whose text is shown in every notice, for whoever receives it. */
export function NoteFields({ formValues, errors }: NoteFieldsProps) {
  return (
    <>
      <TextField
        name="alert_note"
        label="Note"
        description="Stands in the notice: what to do, whom to ask."
        maxLength={NOTE_CHARACTERS}
        autoComplete="off"
        defaultValue={formValues.alert_note}
        errors={errors}
      />
      <TextField
        name="runbook_url"
        label="Runbook"
        description="A page that tells more; the notice links to it."
        inputMode="url"
        maxLength={LIMITS.urlCharacters}
        autoComplete="off"
        spellCheck={false}
        placeholder="https://"
        defaultValue={formValues.runbook_url}
        errors={errors}
      />
    </>
  );
}
