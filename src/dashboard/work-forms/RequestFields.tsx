import { HTTP_METHODS } from '#domain/exchange';
import { MOST_TAGS, TAG_CHARACTERS } from '#domain/tags';
import { ChoiceField, LinesField, PlainField, UrlField } from '../forms/Field.tsx';
import classes from '../forms/Form.module.css';
import { HeadersEditor } from './HeadersEditor.tsx';

export const methods = HTTP_METHODS.map((text) => ({ value: text, text }));

export function TargetFields({ urlNote }: { urlNote?: string | undefined }) {
  return (
    <div className={classes.line}>
      <ChoiceField name="method" label="Method" choices={methods} />
      <UrlField
        name="url"
        label="URL"
        description={urlNote}
        required
        placeholder="https://api.example.com/tasks/close-month"
      />
    </div>
  );
}

export function ContentFields({ payloadNote, rows }: { payloadNote: string; rows: number }) {
  return (
    <>
      <HeadersEditor />
      <LinesField
        name="payload"
        label="Payload"
        description={payloadNote}
        mono
        rows={rows}
        placeholder='{"month": "2026-11"}'
      />
      <UrlField
        name="callback_url"
        label="Callback URL"
        description="Receives a POST with the outcome. It is sent once, without retries."
      />
    </>
  );
}

/** Tags of a cron or queue (§2.13). */
export function TagsField() {
  return (
    <PlainField
      name="tags"
      label="Tags"
      description={`Up to ${MOST_TAGS} short words to filter by, separated by commas.`}
      // With a comma and a space behind each.
      maxLength={MOST_TAGS * (TAG_CHARACTERS + 2)}
      autoCapitalize="none"
      placeholder="billing, nightly"
    />
  );
}
