import { LIMITS, rangeOf } from '#domain/limits';
import type { ReactNode } from 'react';
import { CheckField, ChoiceField, TextField } from '../forms/Field.tsx';
import { Form } from '../forms/Form.tsx';
import { Section } from '../parts/Section.tsx';
import { AlertFields } from '../alerts/AlertFields.tsx';
import type { ChannelChoice, FieldErrors } from '../services.ts';
import { AssertionsEditor } from './AssertionsEditor.tsx';
import { EnterSaves, FormActions } from '../forms/FormActions.tsx';
import classes from '../forms/Form.module.css';
import { NumberField, TimeoutField } from '../forms/NumberField.tsx';
import { RetryField } from './RetryField.tsx';
import { methods } from './RequestFields.tsx';
import { TagsField } from './TagsField.tsx';
import { useMayNotify } from '../page/may-change.ts';
import type { QueueFormValues, TestRequest } from './form-values.ts';

type QueueFormProps = {
  formValues: QueueFormValues;
  errors?: FieldErrors | undefined;
  word: string;
  cancelTo: string;
  /** False for an existing queue, whose name cannot change: jobs name it. */
  isNew: boolean;
  testRequest: TestRequest;
  /** The channels that can be chosen for its alerts. */
  choices: readonly ChannelChoice[];
  /** The outcome of a test run, shown above the buttons. */
  outcome?: ReactNode;
};

/** Every setting of a queue (§2.3). A change also applies to jobs that already wait (§3.4). */
export function QueueForm(props: QueueFormProps) {
  const { formValues, errors, word, cancelTo, isNew, testRequest, choices, outcome } = props;
  return (
    <Form noValidate>
      <EnterSaves />
      <Section
        title="Name"
        note={
          isNew
            ? 'Jobs name the queue that they go to.'
            : 'It stays: jobs are addressed by it. Changes below hold for jobs that wait already, too.'
        }
      >
        <NameFields formValues={formValues} errors={errors} isNew={isNew} />
      </Section>
      <Section
        title="Attempts"
        note="How long one may take, how many may run at once, and how fast they may follow each other."
      >
        <AttemptFields formValues={formValues} errors={errors} />
      </Section>
      <Section
        title="Retries"
        note="Every failed attempt is retried until the schedule runs out. Then the job is dead-lettered."
      >
        <RetryFields formValues={formValues} errors={errors} />
      </Section>
      <Section
        title="Judging"
        note="An attempt succeeds with a 2xx response that holds every assertion."
      >
        <div className={classes.fields}>
          <AssertionsEditor rows={formValues.assertions} errors={errors} />
        </div>
      </Section>
      <Alerts formValues={formValues} errors={errors} choices={choices} />
      <Section
        title="Try it"
        note="Sends one request by the settings above, saved or not. It counts to the monthly limit and makes no job."
      >
        <div className={classes.fields}>
          <TestRequestFields testRequest={testRequest} errors={errors} />
        </div>
      </Section>
      {outcome}
      <FormActions word={word} cancelTo={cancelTo} errors={errors} />
    </Form>
  );
}

function TestRequestFields({
  testRequest,
  errors,
}: {
  testRequest: TestRequest;
  errors: FieldErrors | undefined;
}) {
  return (
    <div className={classes.line}>
      <ChoiceField
        name="test_method"
        label="Test method"
        choices={methods}
        defaultValue={testRequest.method}
      />
      <TextField
        name="test_url"
        label="Test URL"
        inputMode="url"
        maxLength={LIMITS.urlCharacters}
        autoComplete="off"
        spellCheck={false}
        placeholder="https://"
        defaultValue={testRequest.url}
        errors={errors}
      />
    </div>
  );
}

type Part = { formValues: QueueFormValues; errors: FieldErrors | undefined };

function NameFields({ formValues, errors, isNew }: Part & { isNew: boolean }) {
  return (
    <div className={classes.fields}>
      {isNew ? (
        <TextField
          name="queue"
          label="Name"
          required
          maxLength={LIMITS.queueCharacters}
          autoComplete="off"
          placeholder="invoices"
          defaultValue={formValues.queue}
          errors={errors}
        />
      ) : (
        <p className="mono">{formValues.queue}</p>
      )}
      <TagsField defaultValue={formValues.tags} errors={errors} />
      {isNew ? (
        <CheckField
          name="is_paused"
          label="Paused"
          description="It takes jobs and holds them until it is enabled."
          defaultChecked={formValues.is_paused}
        />
      ) : null}
    </div>
  );
}

function RetryFields({ formValues, errors }: Part) {
  return (
    <div className={classes.fields}>
      <CheckField
        name="retries_enabled"
        label="Enable automatic retries"
        description="Without it the first failure is the last."
        defaultChecked={formValues.retries_enabled}
        errors={errors}
      />
      <RetryField defaultValue={formValues.retry_schedule} errors={errors} />
      <NumberField
        name="dead_letter_days"
        label="Dead letter retention"
        description={`Days for which failed jobs are kept, ${rangeOf(LIMITS.deadLetterDays)}.`}
        defaultValue={formValues.dead_letter_days}
        errors={errors}
      />
    </div>
  );
}

function AttemptFields({ formValues, errors }: Part) {
  return (
    <div className={classes.fields}>
      <TimeoutField formValues={formValues} errors={errors} />
      <NumberField
        name="concurrency_limit"
        label="Concurrency limit"
        description="Attempts at once. Empty: no limit."
        placeholder="none"
        defaultValue={formValues.concurrency_limit}
        errors={errors}
      />
      <TextField
        name="rate"
        label="Rate"
        description="Attempts that may start, such as 10/second, 100/minute or 500/hour. Empty: no rate."
        placeholder="none"
        className={classes.short}
        autoComplete="off"
        spellCheck={false}
        defaultValue={formValues.rate}
        errors={errors}
      />
    </div>
  );
}

function Alerts({ formValues, errors, choices }: Part & Pick<QueueFormProps, 'choices'>) {
  const mayNotify = useMayNotify();
  return (
    <Section title="Alerts" note="When somebody is told of jobs that fail or are slow, and where.">
      <AlertFields
        formValues={formValues.alerts}
        errors={errors}
        choices={choices}
        channelNote={`By level. Of jobs that fail, every member is mailed besides; recoveries are those of a slow queue.${mayNotify ? '' : ' Only an admin can choose nobody for failures.'}`}
        reminderNote="While failed jobs that were mailed are neither retried nor deleted, it is told again."
      >
        <CheckField
          name="email_alerts"
          label="Enable email alerts for job failures"
          description="A warning when a first attempt fails, a failure when a job is dead-lettered, to every member."
          defaultChecked={formValues.email_alerts}
          errors={errors}
        />
      </AlertFields>
    </Section>
  );
}
