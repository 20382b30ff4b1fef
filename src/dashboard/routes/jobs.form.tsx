import { redirect } from 'react-router';
import { formatUtcMinute } from '#domain/base/instant';
import { useField, useFormAnswer } from '../forms/Form.tsx';
import { readText, valuesOf } from '../forms/values.ts';
import { shortenTest } from '../runs/run-text.ts';
import { notFound, notHere, open, orTeamFull } from '../serving/open.ts';
import { storedJob, takeLinkedUrl, valuesOfDraft } from '../work-forms/form-values.ts';
import { fillFromPaste, type Pasted } from '../work-forms/paste.ts';
import { RequestForm } from '../work-forms/RequestForm.tsx';
import {
  describeLatest,
  findMasked,
  readJobEdit,
  readJobForm,
  tooLate,
} from '../work-forms/read-forms.ts';
import type { JobInput } from '#work/resources/job';
import { LIMITS } from '#domain/base/limits';
import { Advanced } from '../forms/Advanced.tsx';
import { ChoiceField, InstantField, NumberField, TextField } from '../forms/Field.tsx';
import classes from '../forms/Form.module.css';
import { Section } from '../parts/Section.tsx';
import {
  MoreFields,
  PayloadField,
  RequestPreview,
  TargetFields,
  targetNote,
} from '../work-forms/RequestFields.tsx';
import type { Route } from './+types/jobs.form.ts';

/** `/jobs/new`, `/jobs/:id/edit` (§3.2) */
export async function loader({ params, context, url }: Route.LoaderArgs) {
  const { team, work } = open(context);
  const offered = (await work.listOfferedQueues(team.id)).map(({ name }) => name);
  const { id } = params;
  if (id !== undefined) {
    const { record: job, again } =
      (await work.readJobDetail(team.id, id)) ??
      (await notHere(context, (teamId) => work.findJob(teamId, id)));
    // A job that no longer waits is shown instead.
    if (job.status !== 'pending') return redirect(`/jobs/${job.id}`);
    return {
      values: { ...valuesOfDraft(again), scheduled_at: formatUtcMinute(job.scheduledAt) },
      urlNote: undefined,
      from: null,
      edits: { id, latest: describeLatest(job) },
      // Its own queue is there even if paused.
      queues: offered.includes(job.queue) ? offered : [job.queue, ...offered],
      pausedCount: 0,
    };
  }
  const search = url.searchParams;
  const from = search.get('from');
  const queue = search.get('queue');
  const source = from ? await work.readJobDetail(team.id, from) : null;
  const values = source
    ? valuesOfDraft(source.again)
    : { method: 'POST', delay: '0', ...(queue && { queue }) };
  return {
    ...takeLinkedUrl(values, search),
    from: source?.record.id ?? null,
    edits: null,
    queues: offered,
    pausedCount: (await work.listQueues(team.id)).length - offered.length,
  };
}

export async function action({ params, context }: Route.ActionArgs) {
  const { team, work, form, intent, show, refuse, say } = open(context);
  const { id } = params;
  const from = id ?? readText(form, 'from');
  const source = from === '' ? null : await work.findJobToEdit(team.id, from);
  const stored = source ? storedJob(source, await work.readMask(team.id)) : undefined;
  if (intent === 'paste') return show(fillFromPaste(valuesOf(form), true));
  if (id === undefined) {
    const reading = readJobForm(form, stored);
    if (!reading.ok) return refuse(reading.errors);
    const { input } = reading;
    if (intent === 'test') return show(await test(input));
    // A queue may have been paused meanwhile.
    const queue = await work.findQueueByName(team.id, input.queue);
    if (queue?.isPaused)
      return refuse({
        queue: [`The queue “${queue.name}” is paused. Enable it or choose another.`],
      });
    const { made, errors } = await orTeamFull(work.createJob(team.id, input));
    if (errors) return refuse(errors);
    return say(`/jobs/${made.jobId}`, 'The job is created.');
  }
  const job = source ?? notFound();
  const reading = readJobEdit(form, job, stored);
  if (!reading.ok) return refuse(reading.errors);
  if (intent === 'test') return show(await test(reading.input));
  const { kind } = await work.editJob(team.id, id, reading.input);
  switch (kind) {
    case 'done':
      return say(`/jobs/${id}`, 'The job is saved.');
    case 'no-queue':
      return refuse({ queue: ['There is no such queue any more. Choose another.'] });
    case 'unreadable':
      return refuse({ headers: [`${job.unreadable} Enter them anew.`] });
    case 'too-late':
      return refuse({ scheduled_at: [tooLate(job)] });
    case 'not-pending': {
      const text = 'The job has started by now. Nothing was changed.';
      return say(`/jobs/${id}`, { kind: 'failed', text });
    }
    case 'not-found':
      return notFound();
  }

  async function test(input: Omit<JobInput, 'delaySeconds'>) {
    const draft = { ...input, kind: 'job' as const, masked: findMasked(form) };
    return { test: shortenTest(await work.testRun(team.id, draft)) };
  }
}

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

export default function JobFormPage({ loaderData }: Route.ComponentProps) {
  const { from, edits, queues, values, urlNote } = loaderData;
  const { pasted } = useFormAnswer<{ pasted: Pasted }>();
  const shortId = edits?.id.slice(-8);
  return (
    <RequestForm
      title={edits ? `Edit job ${shortId}` : from ? 'Create job again' : 'Create job'}
      parent={
        edits ? { to: `/jobs/${edits.id}`, text: `Job ${shortId}` } : { to: '/jobs', text: 'Jobs' }
      }
      values={values}
      from={from}
      example={
        edits || from
          ? null
          : `curl -X POST https://api.example.com/orders/42/ship -d '{"notify": true}'`
      }
      word={edits ? 'Save' : 'Create job'}
    >
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
            <QueueChoice queues={queues} pausedCount={loaderData.pausedCount} />
            <NumberField
              name="delay"
              description="Seconds before the first attempt, 0 to 86,400 (24 hours)."
            />
          </>
        )}
      </Section>
      <Section
        title="Request"
        note={`${targetNote} Belfry checks this when it sends the request.`}
        preview={<RequestPreview />}
      >
        <TargetFields urlNote={pasted ? undefined : urlNote} />
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
    </RequestForm>
  );
}

const choicesOf = (names: readonly string[]) => names.map((name) => ({ value: name, text: name }));

/** `pausedCount`: those aren't offered (§2.3). */
type QueueChoiceProps = { queues: readonly string[]; pausedCount: number };

function QueueChoice({ queues, pausedCount }: QueueChoiceProps) {
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
