import { Button, ButtonLink } from '../parts/Button.tsx';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { formatMilliseconds } from '#domain/duration-words';
import { nameChannel } from '../alerts/alert-words.ts';
import { Form } from '../forms/Form.tsx';
import { Glyph } from '../parts/Glyph.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import type { ChannelView } from '../services.ts';
import classes from './FirstSteps.module.css';
import type { FirstSteps as Steps } from './first-steps.ts';

type FirstStepsProps = {
  steps: Steps;
  /** Null: the person has to find a target of their own. */
  echoUrl: string | null;
  channel: ChannelView['kind'];
  mayChooseChannel: boolean;
};

/** The first steps of a new team, until all of them are done or somebody hides them. */
export function FirstSteps({ steps, echoUrl, channel, mayChooseChannel }: FirstStepsProps) {
  return (
    <section className="panel" aria-labelledby="first-steps">
      <header>
        <h2 id="first-steps">First steps</h2>
        <Form>
          <Button type="submit" name="intent" value="hide-steps" variant="quiet" size="small">
            Hide
          </Button>
        </Form>
      </header>
      <ol className={classes.steps}>
        <JobStep step={steps.job} echoUrl={echoUrl} />
        <CronStep step={steps.cron} echoUrl={echoUrl} />
        <AlertsStep step={steps.alerts} channel={channel} mayChoose={mayChooseChannel} />
      </ol>
    </section>
  );
}

function Step({
  number,
  title,
  isDone,
  action,
  children,
}: {
  number: number;
  title: string;
  isDone: boolean;
  action: ReactNode;
  children: ReactNode;
}) {
  return (
    <li data-done={isDone || undefined}>
      <span className={classes.number}>
        {isDone ? <Glyph name="check" size={14} /> : number}
        {isDone ? <span className="sr-only">Done:</span> : null}
      </span>
      <div className={classes.words}>
        <h3>{title}</h3>
        <p>{children}</p>
      </div>
      <div className={classes.action}>{action}</div>
    </li>
  );
}

function JobStep({ step, echoUrl }: { step: Steps['job']; echoUrl: string | null }) {
  const isDone = step.state === 'done';
  return (
    <Step
      number={1}
      title="Send a sample job"
      isDone={isDone}
      action={<JobAction step={step} echoUrl={echoUrl} />}
    >
      <span role="status">
        <JobWords step={step} echoUrl={echoUrl} />
      </span>
    </Step>
  );
}

function JobAction({ step, echoUrl }: { step: Steps['job']; echoUrl: string | null }) {
  if (step.state === 'done') return step.runTo ? <Link to={step.runTo}>See it</Link> : null;
  if (step.state === 'failed') return <Link to="/jobs?tab=all">See why</Link>;
  if (step.state === 'under-way') return <Status name="processing" word="On its way" />;
  if (echoUrl === null) return <Link to="/jobs/new">Create job</Link>;
  return (
    <Form>
      <Button type="submit" name="intent" value="sample-job">
        Send sample job
      </Button>
    </Form>
  );
}

function JobWords({ step, echoUrl }: { step: Steps['job']; echoUrl: string | null }) {
  if (step.state === 'done') {
    if (step.said === null) return 'Runs have arrived.';
    const { responseStatus, durationMs, at } = step.said;
    return (
      <>
        {`It arrived: HTTP ${responseStatus ?? '–'} in ${formatMilliseconds(durationMs ?? 0)}, `}
        <Time at={at} />.
      </>
    );
  }
  if (step.state === 'failed') return 'It did not arrive.';
  return (
    <>
      {echoUrl === null
        ? 'One request to a target of yours. '
        : 'One request to this installation’s own echo, which answers what it was sent. '}
      <Link to="/settings/api-token">By curl</Link> it takes an API token.
    </>
  );
}

function CronStep({ step, echoUrl }: { step: Steps['cron']; echoUrl: string | null }) {
  const isDone = step.state === 'done';
  return (
    <Step
      number={2}
      title="Run a cron every minute"
      isDone={isDone}
      action={
        isDone ? (
          <Link to="/crons">See crons</Link>
        ) : (
          <ButtonLink
            to={echoUrl === null ? '/crons/new' : '/crons/new?sample=1'}
            variant="default"
          >
            Create cron
          </ButtonLink>
        )
      }
    >
      {step.state === 'open' ? (
        `A cron calls a URL on a schedule. ${echoUrl === null ? '' : 'The form is filled; '}Pause stops it later.`
      ) : step.nextRunAt === null ? (
        'There is one.'
      ) : (
        <>
          The next run is <Time at={step.nextRunAt} />.
        </>
      )}
    </Step>
  );
}

function AlertsStep({
  step,
  channel,
  mayChoose,
}: {
  step: Steps['alerts'];
  channel: ChannelView['kind'];
  mayChoose: boolean;
}) {
  const isDone = step.state === 'done';
  const told =
    channel === 'email'
      ? 'Each alert is mailed to every member.'
      : `Each alert goes to ${nameChannel(channel)}.`;
  const untold = 'So far they stand on the Alerts page only: no mail server is set up.';
  return (
    <Step
      number={3}
      title="Say where alerts go"
      isDone={isDone}
      action={
        mayChoose ? (
          <Link to="/settings/notifications">{isDone ? 'Change' : 'Choose a chat'}</Link>
        ) : null
      }
    >
      {isDone ? told : untold}
      {mayChoose || isDone ? null : ' An admin of the team can choose a chat.'}
    </Step>
  );
}
