import { HTTP_METHODS } from '#domain/http/exchange';
import { WATCH_RANGES } from '#domain/alerts/queue-watch';
import { LIMITS, rangeOf } from '#domain/base/limits';
import { may } from '#people/roles';
import { isSendableUrl } from '#work/fields';
import { silencesFailures } from '#work/queues';
import { shortenTest } from '../runs/run-text.ts';
import { notFound, notHere, open, orTeamFull } from '../serving/open.ts';
import { findChange, withVersion } from '../serving/version.ts';
import { newQueue, valuesOfQueue } from '../work-forms/form-values.ts';
import { readQueueForm } from '../work-forms/read-forms.ts';
import { AlertFields } from '../alerts/AlertFields.tsx';
import { CheckField, ChoiceField, NumberField, PlainField, UrlField } from '../forms/Field.tsx';
import { Advanced } from '../forms/Advanced.tsx';
import classes from '../forms/Form.module.css';
import { useMayNotify } from '../page/may-change.ts';
import { Section } from '../parts/Section.tsx';
import type { ChannelChoice } from '../services.ts';
import { methods, ResponseFields, TagsField } from '../work-forms/RequestFields.tsx';
import { RequestForm } from '../work-forms/RequestForm.tsx';
import { RetryPreview } from '../work-forms/RetryField.tsx';
import type { Route } from './+types/queues.form.ts';

/** `/queues/new`, `/queues/:id/edit` */
export async function loader({ params, context }: Route.LoaderArgs) {
  const { team, work } = open(context);
  const choices = await work.listChannelChoices(team.id);
  const { id } = params;
  if (id === undefined) return { queue: null, values: newQueue, choices };
  const find = (teamId: string) => work.findQueue(teamId, id);
  const queue = (await find(team.id)) ?? (await notHere(context, find));
  return { queue: { id, name: queue.name }, values: withVersion(valuesOfQueue(queue)), choices };
}

export async function action({ params, context }: Route.ActionArgs) {
  const { team, work, field, form, intent, show, refuse, say } = open(context);
  const present =
    params.id === undefined ? null : ((await work.findQueue(team.id, params.id)) ?? notFound());
  // A test needs no name.
  const reading = readQueueForm(form, present?.name ?? (intent === 'test' ? 'test' : undefined));
  if (!reading.ok) return refuse(reading.errors);
  const { name, change } = reading.input;
  if (intent === 'test') {
    const method = HTTP_METHODS.find((known) => known === field('test_method')) ?? 'GET';
    const url = field('test_url').trim();
    if (!isSendableUrl(url))
      return refuse({ test_url: ['Enter the URL that the request goes to.'] });
    const { timeoutSeconds = LIMITS.timeoutSeconds.initial, assertions = [] } = change;
    const rules = { timeoutSeconds, assertions };
    const draft = { kind: 'queue' as const, method, url, headers: [], ...rules };
    return show({ test: shortenTest(await work.testRun(team.id, draft)) });
  }
  if (!may(team.role, 'notifications') && silencesFailures(change, present))
    return refuse({
      failure_channels: ['Choose a channel for failures. Only an admin can choose none.'],
    });
  if (present) {
    const wanted = valuesOfQueue({ ...present, ...change });
    const stale = findChange(form, valuesOfQueue(present), wanted);
    if (stale) return show(stale);
    if (!(await work.editQueue(team.id, present.id, change))) notFound();
    const text = 'The settings are saved. They apply to waiting jobs, too.';
    return say(`/queues/${present.id}`, text);
  }
  // Saving would change the existing queue.
  if (await work.findQueueByName(team.id, name))
    return refuse({ queue: ['There is a queue of that name already.'] });
  const { made, errors } = await orTeamFull(work.setQueue(team.id, name, change));
  if (errors) return refuse(errors);
  return say(`/queues/${made.id}`, `The queue “${name}” is created.`);
}

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

export default function QueueFormPage({ loaderData }: Route.ComponentProps) {
  const { queue, values, choices } = loaderData;
  return (
    <RequestForm
      title={queue ? `Edit ${queue.name}` : 'Create queue'}
      parent={
        queue ? { to: `/queues/${queue.id}`, text: queue.name } : { to: '/queues', text: 'Queues' }
      }
      values={values}
      word={queue ? 'Save' : 'Create queue'}
    >
      {queue ? (
        <Section
          title="Name"
          note="You can’t change the name, because jobs use it. Changes below also apply to waiting jobs."
        >
          <p className="mono">{queue.name}</p>
        </Section>
      ) : (
        <Section title="Name" note="Jobs name the queue that they go to.">
          <PlainField
            name="queue"
            label="Name"
            required
            maxLength={LIMITS.queueCharacters}
            placeholder="invoices"
          />
        </Section>
      )}
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
        <PlainField
          name="retry_schedule"
          description="The wait before each retry, counted from the end of the attempt before: up to ten, each from 1s to 24h."
          placeholder="1m, 30m, 3h"
        />
      </Section>
      <Section title="Alerts" note="When jobs fail.">
        <CheckField
          name="email_alerts"
          label="Enable email alerts for job failures"
          description="Emails every member: a warning if a first attempt fails, a failure if a job is dead-lettered."
        />
      </Section>
      <AdvancedFields choices={choices} isNew={queue === null} />
      <Section
        title="Try it"
        note="Sends one request with the settings above, even if you have not saved them. It counts toward the monthly limit and creates no job."
      >
        <div className={classes.line}>
          <ChoiceField name="test_method" choices={methods} />
          <UrlField name="test_url" />
        </div>
      </Section>
    </RequestForm>
  );
}

type AdvancedFieldsProps = { choices: readonly ChannelChoice[]; isNew: boolean };

function AdvancedFields({ choices, isNew }: AdvancedFieldsProps) {
  const mayNotify = useMayNotify();
  return (
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
        <NumberField
          name="backlog_minutes"
          label="Overdue for"
          description={`Minutes, ${rangeOf(WATCH_RANGES.minutes)}, for which a due job may wait. Empty: any time.`}
          placeholder="none"
        />
        <NumberField
          name="backlog_jobs"
          label="Due jobs waiting"
          description={`Jobs that may wait although they are due, ${rangeOf(WATCH_RANGES.jobs)}. Empty: any number.`}
          placeholder="none"
        />
        <NumberField
          name="backlog_paused_hours"
          label="Paused for"
          description={`Hours, ${rangeOf(WATCH_RANGES.pausedHours)}, for which the queue or its team may be paused. Empty: any time.`}
          placeholder="none"
        />
        <NumberField
          name="failure_percent"
          label="Failed attempts in percent"
          description={`Percentage of the last attempts that may fail, ${rangeOf(WATCH_RANGES.percent)}. Empty: any.`}
          placeholder="none"
        />
        <NumberField
          name="failure_attempts"
          label="Of the last attempts"
          description={`Attempts that the percentage is of, ${rangeOf(WATCH_RANGES.attempts)}.`}
        />
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
        {isNew ? (
          <CheckField
            name="is_paused"
            label="Paused"
            description="Accepts jobs but sends none until you enable it."
          />
        ) : null}
      </Section>
    </Advanced>
  );
}
