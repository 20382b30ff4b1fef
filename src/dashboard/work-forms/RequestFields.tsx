import { useRef } from 'react';
import { HTTP_METHODS } from '#domain/http/exchange';
import { MOST_TAGS, TAG_CHARACTERS } from '#domain/team/tags';
import {
  CheckField,
  ChoiceField,
  LinesField,
  NumberField,
  PlainField,
  UrlField,
} from '../forms/Field.tsx';
import classes from '../forms/Form.module.css';
import { useTypedValues } from '../forms/Form.tsx';
import { textIn } from '../forms/values.ts';
import { AssertionsEditor } from './AssertionsEditor.tsx';

export const methods = HTTP_METHODS.map((text) => ({ value: text, text }));

/** For the section of `TargetFields`. */
export const targetNote =
  'The URL to call. It must be reachable over IPv4, from the public internet or in a network that the operator allows.';

export function TargetFields({ urlNote }: { urlNote?: string | undefined }) {
  return (
    <div className={classes.line}>
      <ChoiceField name="method" choices={methods} />
      <UrlField
        name="url"
        description={urlNote}
        required
        placeholder="https://api.example.com/tasks/close-month"
      />
    </div>
  );
}

export function PayloadField(props: { description: string; rows: number }) {
  return <LinesField name="payload" placeholder='{"month": "2026-11"}' {...props} />;
}

export function MoreFields() {
  return (
    <>
      <LinesField
        name="headers"
        description="One per line, sent exactly as entered. Values of headers such as Authorization are masked after saving."
        rows={3}
        placeholder="Authorization: Bearer …"
      />
      <UrlField
        name="callback_url"
        description="Receives a POST with the outcome. It is sent once, without retries."
      />
    </>
  );
}

const MOST_SHOWN = 2_000;

/** As typed, on wide screens. */
export function RequestPreview() {
  const ref = useRef<HTMLElement>(null);
  const values = useTypedValues(ref);
  const [method, url, headers, payload] = ['method', 'url', 'headers', 'payload'].map(
    (name) => textIn(values, name)?.trim() ?? '',
  );
  const parts = [`${method} ${url || '…'}`, headers, payload && `\n${payload}`];
  const text = parts.filter((part) => part !== '').join('\n');
  return (
    <aside ref={ref} className={`box quiet ${classes.request}`} aria-label="Request">
      <pre>{text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text}</pre>
    </aside>
  );
}

export function TagsField() {
  return (
    <PlainField
      name="tags"
      description={`Up to ${MOST_TAGS} short words to filter by, separated by commas.`}
      // With a comma and a space behind each.
      maxLength={MOST_TAGS * (TAG_CHARACTERS + 2)}
      autoCapitalize="none"
      placeholder="billing, nightly"
    />
  );
}

/** How responses are judged and stored, of a cron or a queue. */
export function ResponseFields() {
  return (
    <>
      <NumberField
        name="timeout_seconds"
        label="Request timeout"
        description="Seconds for the whole request, 1 to 300."
      />
      <AssertionsEditor />
      <CheckField
        name="keep_response_body"
        label="Store response bodies"
        description="Untick it if responses have personal data. Assertions still read them, and the values that they compare are stored."
      />
    </>
  );
}
