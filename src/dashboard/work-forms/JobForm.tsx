import { LIMITS } from '#domain/limits';
import type { ReactNode } from 'react';
import { ChoiceField, TextField } from '../forms/Field.tsx';
import { Form } from '../forms/Form.tsx';
import { Section } from '../parts/Section.tsx';
import type { FieldErrors } from '../services.ts';
import { EnterSaves, FormActions } from '../forms/FormActions.tsx';
import classes from '../forms/Form.module.css';
import { NumberField } from '../forms/NumberField.tsx';
import { useReach } from './reach.ts';
import { ContentFields, TargetFields } from './RequestFields.tsx';
import type { JobFormValues } from './form-values.ts';

type JobFormProps = {
  /** Where the URL comes from, if a link gave it. */
  urlNote?: string | undefined;
  formValues: JobFormValues;
  errors?: FieldErrors | undefined;
  /** Names of the queues that are not paused: a paused one is not offered (§2.3). */
  queues: readonly string[];
  pausedCount: number;
  /** The job whose stored headers replace masked ones, when a job is made from another. */
  from?: string | null;
  /** Set when a waiting job is edited; `latest` says in words when it may start at the latest. Its queue must exist. */
  edits?: { id: string; latest: string } | undefined;
  paste?: ReactNode;
  outcome?: ReactNode;
};

/** Every field of a job (§2.2). The queue determines timeout, retries and assertions. */
export function JobForm(props: JobFormProps) {
  const { formValues, errors, queues, pausedCount, from, edits, paste, outcome } = props;
  const reach = useReach();
  return (
    <Form noValidate>
      <EnterSaves />
      {from ? <input type="hidden" name="from" value={from} /> : null}
      {paste}
      <Section
        title="Queue"
        note="It decides timeout, retries, assertions and how many run at once."
      >
        <div className={classes.fields}>
          {edits ? (
            <ChoiceField
              name="queue"
              label="Queue"
              choices={queues.map((name) => ({ value: name, text: name }))}
              defaultValue={formValues.queue}
              errors={errors}
            />
          ) : (
            <QueueChoice
              formValues={formValues}
              errors={errors}
              queues={queues}
              pausedCount={pausedCount}
            />
          )}
          <WhenField formValues={formValues} errors={errors} edits={edits} />
        </div>
      </Section>
      <Section
        title="Request"
        note={`What is called. ${reach} That is checked when the request is sent.`}
      >
        <div className={classes.fields}>
          <TargetFields formValues={formValues} errors={errors} urlNote={props.urlNote} />
          <ContentFields
            formValues={formValues}
            errors={errors}
            payloadNote="A JSON object or list. With GET it becomes the query."
            stretch
          />
        </div>
      </Section>
      {outcome}
      <FormActions
        word={edits ? 'Save' : 'Create job'}
        cancelTo={edits ? `/jobs/${edits.id}` : '/jobs'}
        errors={errors}
      />
    </Form>
  );
}

function WhenField({
  formValues,
  errors,
  edits,
}: Pick<JobFormProps, 'formValues' | 'errors' | 'edits'>) {
  if (!edits) {
    return (
      <NumberField
        name="delay"
        label="Delay"
        description="Seconds before the first attempt, 0 to 86,400 (24 hours)."
        defaultValue={formValues.delay}
        errors={errors}
      />
    );
  }
  return (
    <TextField
      name="scheduled_at"
      label="Time (UTC)"
      type="datetime-local"
      step={1}
      description={`Until ${edits.latest}. It starts at once if the time is past.`}
      defaultValue={formValues.scheduled_at}
      errors={errors}
    />
  );
}

function QueueChoice({
  formValues,
  errors,
  queues,
  pausedCount,
}: Pick<JobFormProps, 'formValues' | 'errors' | 'queues' | 'pausedCount'>) {
  if (queues.length === 0) {
    return (
      <TextField
        name="queue"
        label="Queue"
        description={
          pausedCount > 0
            ? 'Every queue is paused. A new name makes a queue with default settings.'
            : 'There is none yet: it is made with default settings under this name.'
        }
        required
        maxLength={LIMITS.queueCharacters}
        autoComplete="off"
        placeholder="default"
        defaultValue={formValues.queue || 'default'}
        errors={errors}
      />
    );
  }
  const isOffered = formValues.queue === '' || queues.includes(formValues.queue);
  return (
    <div className={classes.line}>
      <ChoiceField
        name="queue"
        label="Queue"
        description={pausedCount > 0 ? `${pausedCount} paused, not offered.` : undefined}
        choices={[
          ...(isOffered ? [] : [{ value: '', text: 'Choose a queue' }]),
          ...queues.map((name) => ({ value: name, text: name })),
        ]}
        defaultValue={isOffered ? formValues.queue || queues[0] : ''}
        errors={errors}
      />
      <TextField
        name="new_queue"
        label="Or a new queue"
        description="Made with default settings under this name."
        maxLength={LIMITS.queueCharacters}
        autoComplete="off"
        defaultValue={isOffered ? '' : formValues.queue}
      />
    </div>
  );
}
