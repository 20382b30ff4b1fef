import type { ReactNode } from 'react';
import { STOP_AFTER } from '#domain/alert-streak';
import { LIMITS, rangeOf } from '#domain/limits';
import { DEFAULT_REF } from '#domain/alert-settings';
import { AlertFields } from '../alerts/AlertFields.tsx';
import { nameChannel, nameOfChannel } from '../alerts/alert-words.ts';
import { CheckField, ChoiceField, NumberField, TextField } from '../forms/Field.tsx';
import { Advanced } from '../forms/Advanced.tsx';
import { Form } from '../forms/Form.tsx';
import { EnterSaves, FormActions } from '../forms/FormActions.tsx';
import type { Values } from '../forms/values.ts';
import { Section } from '../parts/Section.tsx';
import type { ChannelChoice } from '../services.ts';
import { AssertionsEditor } from './AssertionsEditor.tsx';
import { useReach } from './reach.ts';
import { newCron } from './form-values.ts';
import {
  MoreFields,
  PayloadField,
  RequestPreview,
  TagsField,
  TargetFields,
} from './RequestFields.tsx';
import { StartAndEndFields, ScheduleFields, SchedulePreview } from './ScheduleFields.tsx';

const thresholds = [
  { value: '', text: 'No alerts' },
  { value: '1', text: 'After 1 failed run' },
  { value: '2', text: 'After 2 failed runs in a row' },
  { value: '3', text: 'After 3 failed runs in a row' },
];

/** Open at once; the rest is under Advanced. */
const essentials = new Set(['name', 'method', 'url', 'cron_expression', 'alert_threshold']);

type CronFormProps = {
  values: Values;
  /** The first field of a new cron has the focus. */
  isNew: boolean;
  urlNote?: string | undefined;
  word: string;
  cancelTo: string;
  choices: readonly ChannelChoice[];
  /** Without it, mails are logged. */
  sendsMail: boolean;
  /** Its stored headers replace masked ones in a copy. */
  from: string | null;
  runsCounted: number;
  paste: ReactNode;
  outcome: ReactNode;
};

/** Creates or edits a cron (§2.1, §2.4). */
export function CronForm(props: CronFormProps) {
  const reach = useReach();
  return (
    <Form noValidate values={props.values}>
      <EnterSaves />
      {props.from ? <input type="hidden" name="from" value={props.from} /> : null}
      {props.paste}
      <Section title="Target" note={`The URL to call. ${reach}`} preview={<RequestPreview />}>
        <TextField
          name="name"
          required
          maxLength={LIMITS.nameCharacters}
          autoComplete="off"
          placeholder="Close the month"
          autoFocus={props.isNew}
        />
        <TargetFields urlNote={props.urlNote} />
      </Section>
      <Section
        title="Schedule"
        note="Crons run in UTC, at most once a minute."
        preview={<SchedulePreview runsCounted={props.runsCounted} />}
      >
        <ScheduleFields />
      </Section>
      <Section title="Alerts" note="When runs fail.">
        <ChoiceField
          name="alert_threshold"
          description={describeWay(props.choices, props.sendsMail)}
          choices={thresholds}
          isShort
        />
      </Section>
      <Advanced defaults={newCron} essentials={essentials}>
        <Section title="Request" note="Every run sends the same request.">
          <PayloadField
            description="JSON is sent as that JSON, any other text as {“body”: text}. A GET sends it in the query string."
            rows={5}
          />
          <MoreFields />
        </Section>
        <Section
          title="Success"
          note="A run succeeds if the response is 2xx and meets every assertion. Crons are never retried."
        >
          <ResponseFields />
        </Section>
        <Section title="Start and end" note="When the schedule applies.">
          <CheckField
            name="is_active"
            label="Active"
            description="If unticked, the cron is paused: it does not run until you start it."
          />
          <StartAndEndFields runsCounted={props.runsCounted} />
          <NumberField
            name="stop_after"
            label="Stop after failed runs"
            description={`Pauses the cron and raises an alert after this many failed runs in a row, ${rangeOf(STOP_AFTER)}. To continue, start it again. Empty: never.`}
            placeholder="never"
          />
        </Section>
        <Section title="More alerts" note="When runs are slow, and who is notified.">
          <AlertFields
            choices={props.choices}
            channelNote="Choose channels for each alert level. If none is ticked, the alert is shown on the Alerts page only."
            reminderNote="Repeats the notification while the cron keeps failing."
          />
        </Section>
        <Section title="Tags" note="To find it again.">
          <TagsField />
        </Section>
      </Advanced>
      {props.outcome}
      <FormActions word={props.word} cancelTo={props.cancelTo} />
    </Form>
  );
}

/** Where alerts go unless other channels are chosen below. */
function describeWay(choices: readonly ChannelChoice[], sendsMail: boolean): string {
  const standard = choices.find(({ id }) => id === DEFAULT_REF);
  if (!standard) return 'Alerts appear on the Alerts page.';
  if (standard.kind !== 'email')
    return `Alerts go to ${nameOfChannel(standard)} (${nameChannel(standard.kind)}) and to the Alerts page.`;
  return sendsMail
    ? 'Alerts are emailed to every member and appear on the Alerts page.'
    : 'Alerts appear on the Alerts page. Email is not configured.';
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
