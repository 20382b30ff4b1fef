import type { ReactNode } from 'react';
import { LIMITS } from '#domain/limits';
import { Advanced } from '../forms/Advanced.tsx';
import { ChoiceField, InstantField, NumberField, TextField } from '../forms/Field.tsx';
import { Form, useField } from '../forms/Form.tsx';
import classes from '../forms/Form.module.css';
import { EnterSaves, FormActions } from '../forms/FormActions.tsx';
import type { Values } from '../forms/values.ts';
import { Section } from '../parts/Section.tsx';
import { useReach } from './reach.ts';
import { MoreFields, PayloadField, RequestPreview, TargetFields } from './RequestFields.tsx';

const newJob = { headers: '', callback_url: '' };
/** Open at once; the rest is under Advanced. */
const essentials = new Set([
  'queue',
  'new_queue',
  'delay',
  'scheduled_at',
  'method',
  'url',
  'payload',
]);

type JobFormProps = {
  values: Values;
  urlNote?: string | undefined;
  /** Paused ones aren't offered (§2.3). */
  queues: readonly string[];
  pausedCount: number;
  /** Its stored headers replace masked ones in a copy. */
  from: string | null;
  /** `latest`: the latest start in words. The queue must exist. */
  edits: { id: string; latest: string } | null;
  paste: ReactNode;
  outcome: ReactNode;
};

/** Creates or edits a job (§2.2). */
export function JobForm(props: JobFormProps) {
  const { values, queues, from, edits } = props;
  const reach = useReach();
  return (
    <Form noValidate values={values}>
      <EnterSaves />
      {from ? <input type="hidden" name="from" value={from} /> : null}
      {props.paste}
      <Section
        title="Queue"
        note="It decides timeout, retries, assertions and how many run at once."
      >
        {edits ? (
          <>
            <ChoiceField name="queue" label="Queue" choices={choicesOf(queues)} />
            <InstantField
              name="scheduled_at"
              label="Time (UTC)"
              description={`Until ${edits.latest}. If the time is in the past, the job starts at once.`}
            />
          </>
        ) : (
          <>
            <QueueChoice queues={queues} pausedCount={props.pausedCount} />
            <NumberField
              name="delay"
              description="Seconds before the first attempt, 0 to 86,400 (24 hours)."
            />
          </>
        )}
      </Section>
      <Section
        title="Request"
        note={`The URL to call. ${reach} Belfry checks this when it sends the request.`}
        preview={<RequestPreview />}
      >
        <TargetFields urlNote={props.urlNote} />
        <PayloadField
          description="A JSON object or list. A GET sends it in the query string."
          rows={8}
        />
      </Section>
      <Advanced defaults={newJob} essentials={essentials}>
        <Section title="More" note="Headers of the request, and who receives the outcome.">
          <MoreFields />
        </Section>
      </Advanced>
      {props.outcome}
      <FormActions
        word={edits ? 'Save' : 'Create job'}
        cancelTo={edits ? `/jobs/${edits.id}` : '/jobs'}
      />
    </Form>
  );
}

const choicesOf = (names: readonly string[]) => names.map((name) => ({ value: name, text: name }));

function QueueChoice({ queues, pausedCount }: Pick<JobFormProps, 'queues' | 'pausedCount'>) {
  const { value: chosen = '' } = useField('queue');
  const newQueue = {
    maxLength: LIMITS.queueCharacters,
    autoComplete: 'off',
  };
  if (queues.length === 0) {
    return (
      <TextField
        {...newQueue}
        name="queue"
        label="Queue"
        description={
          pausedCount > 0
            ? 'Every queue is paused. Enter a new name to create a queue with default settings.'
            : 'You have no queue yet. The job creates one with this name and default settings.'
        }
        required
        placeholder="default"
        defaultValue="default"
      />
    );
  }
  // The original's queue may be gone or paused.
  const isOffered = chosen === '' || queues.includes(chosen);
  return (
    <div className={classes.pair}>
      <ChoiceField
        name="queue"
        label="Queue"
        description={pausedCount > 0 ? `Paused queues are not listed (${pausedCount}).` : undefined}
        choices={[
          ...(isOffered ? [] : [{ value: '', text: 'Choose a queue' }]),
          ...choicesOf(queues),
        ]}
      />
      <TextField
        {...newQueue}
        name="new_queue"
        label="Or a new queue"
        description="Enter a name to create a queue with default settings."
        defaultValue={isOffered ? '' : chosen}
      />
    </div>
  );
}
