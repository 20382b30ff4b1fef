import { LIMITS } from '#domain/limits';
import { HTTP_METHODS } from '#domain/exchange';
import { ChoiceField, LinesField, TextField } from '../forms/Field.tsx';
import { HeadersEditor } from './HeadersEditor.tsx';
import type { FieldErrors } from '../services.ts';
import classes from '../forms/Form.module.css';
import type { RequestFormValues } from './form-values.ts';

export const methods = HTTP_METHODS.map((text) => ({ value: text, text }));

type Part = { formValues: RequestFormValues; errors?: FieldErrors | undefined };

/** The method and URL of the request. */
export function TargetFields({
  formValues,
  errors,
  urlNote,
}: Part & { urlNote?: string | undefined }) {
  return (
    <div className={classes.line}>
      <ChoiceField
        name="method"
        label="Method"
        choices={methods}
        defaultValue={formValues.method}
        errors={errors}
      />
      <TextField
        name="url"
        label="URL"
        description={urlNote}
        required
        maxLength={LIMITS.urlCharacters}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://api.example.com/tasks/close-month"
        defaultValue={formValues.url}
        errors={errors}
      />
    </div>
  );
}

/** The headers, the payload, and where the callback goes. */
export function ContentFields({
  formValues,
  errors,
  payloadNote,
  stretch = false,
}: Part & { payloadNote: string; stretch?: boolean }) {
  return (
    <>
      <HeadersEditor
        name="headers"
        label="Headers"
        description="Sent as they stand here. Names such as Authorization are masked after saving."
        defaultValue={formValues.headers}
        errors={errors}
      />
      <LinesField
        name="payload"
        label="Payload"
        description={payloadNote}
        mono
        rows={stretch ? 8 : 5}
        placeholder='{"month": "2026-11"}'
        defaultValue={formValues.payload}
        errors={errors}
      />
      <TextField
        name="callback_url"
        label="Callback URL"
        description="Gets a POST with the outcome, sent once."
        inputMode="url"
        maxLength={LIMITS.urlCharacters}
        autoComplete="off"
        spellCheck={false}
        placeholder="https://"
        defaultValue={formValues.callback_url}
        errors={errors}
      />
    </>
  );
}
