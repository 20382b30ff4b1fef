import type { ReactNode } from 'react';
import { LIMITS, rangeOf } from '#domain/limits';
import { AlertFields, WatchFields } from '../alerts/AlertFields.tsx';
import { CheckField, ChoiceField, NumberField, PlainField, UrlField } from '../forms/Field.tsx';
import { Advanced } from '../forms/Advanced.tsx';
import { Form } from '../forms/Form.tsx';
import classes from '../forms/Form.module.css';
import { EnterSaves, FormActions } from '../forms/FormActions.tsx';
import type { Values } from '../forms/values.ts';
import { useMayNotify } from '../page/may-change.ts';
import { Section } from '../parts/Section.tsx';
import type { ChannelChoice } from '../services.ts';
import { ResponseFields } from './CronForm.tsx';
import { newQueue } from './form-values.ts';
import { methods, TagsField } from './RequestFields.tsx';
import { RetryField, RetryPreview } from './RetryField.tsx';

/** Open at once; the rest is under Advanced. */
const essentials = new Set([
  'queue',
  'concurrency_limit',
  'rate',
  'retries_enabled',
  'retry_schedule',
  'email_alerts',
  'test_method',
  'test_url',
]);

type QueueFormProps = {
  values: Values;
  /** It can't change: jobs name it. Null for a new queue. */
  name: string | null;
  cancelTo: string;
  choices: readonly ChannelChoice[];
  outcome: ReactNode;
};

/** Creates or edits a queue (§2.3). */
export function QueueForm({ values, name, cancelTo, choices, outcome }: QueueFormProps) {
  const mayNotify = useMayNotify();
  return (
    <Form noValidate values={values}>
      <EnterSaves />
      <NameSection name={name} />
      <Section
        title="Attempts"
        note="How many may run at once, and how fast they may follow each other."
      >
        <NumberField
          name="concurrency_limit"
          description="Attempts at once. Empty: no limit."
          placeholder="none"
        />
        <PlainField
          name="rate"
          description="Attempts that may start, such as 10/second, 100/minute or 500/hour. Empty: no rate."
          placeholder="none"
          isShort
        />
      </Section>
      <Section
        title="Retries"
        note="Every failed attempt is retried until the schedule runs out. Then the job is dead-lettered."
        preview={<RetryPreview />}
      >
        <CheckField
          name="retries_enabled"
          label="Enable automatic retries"
          description="Without it, the first failure is final."
        />
        <RetryField />
      </Section>
      <Section title="Alerts" note="When jobs fail.">
        <CheckField
          name="email_alerts"
          label="Enable email alerts for job failures"
          description="Emails every member: a warning if a first attempt fails, a failure if a job is dead-lettered."
        />
      </Section>
      <Advanced defaults={newQueue} essentials={essentials}>
        <Section
          title="Success"
          note="An attempt succeeds if the response is 2xx and meets every assertion."
        >
          <ResponseFields />
        </Section>
        <Section
          title="The whole queue"
          note="Alerts when it does not drain or fails too often, and when that is over."
        >
          <WatchFields />
        </Section>
        <Section title="More alerts" note="When jobs are slow, and who is notified.">
          <AlertFields
            choices={choices}
            channelNote={`Choose channels for each alert level. Failed jobs are also emailed to every member. A recovery alert is sent when a slow queue is fast again, drains again or fails less often.${mayNotify ? '' : ' Only an admin can choose no channel for failures.'}`}
            reminderNote="Repeats the notification while failed jobs are neither retried nor deleted, or the queue does not drain or fails too often."
          />
        </Section>
        <Section title="Storage and tags" note="How long failed jobs stay, and how you find them.">
          <NumberField
            name="dead_letter_days"
            description={`Days for which failed jobs are kept, ${rangeOf(LIMITS.deadLetterDays)}.`}
          />
          <TagsField />
          {name === null ? (
            <CheckField
              name="is_paused"
              label="Paused"
              description="Accepts jobs but sends none until you enable it."
            />
          ) : null}
        </Section>
      </Advanced>
      <Section
        title="Try it"
        note="Sends one request with the settings above, even if you have not saved them. It counts toward the monthly limit and creates no job."
      >
        <div className={classes.line}>
          <ChoiceField name="test_method" choices={methods} />
          <UrlField name="test_url" />
        </div>
      </Section>
      {outcome}
      <FormActions word={name === null ? 'Create queue' : 'Save'} cancelTo={cancelTo} />
    </Form>
  );
}

function NameSection({ name }: Pick<QueueFormProps, 'name'>) {
  if (name !== null) {
    return (
      <Section
        title="Name"
        note="You can’t change the name, because jobs use it. Changes below also apply to waiting jobs."
      >
        <p className="mono">{name}</p>
      </Section>
    );
  }
  return (
    <Section title="Name" note="Jobs name the queue that they go to.">
      <PlainField
        name="queue"
        label="Name"
        required
        maxLength={LIMITS.queueCharacters}
        placeholder="invoices"
      />
    </Section>
  );
}
