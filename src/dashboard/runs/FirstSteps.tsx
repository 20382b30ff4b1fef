import { ActionButton } from '../forms/Form.tsx';
import { Link } from 'react-router';
import type { ReactNode } from 'react';
import { DEFAULT_REF } from '#domain/alert-settings';
import { nameOfKind } from '#domain/notification-channel';
import { useMayNotify } from '../page/may-change.ts';
import { Glyph } from '../parts/Glyph.tsx';
import type { ChannelView } from '../services.ts';
import classes from './FirstSteps.module.css';

export type StepsDone = { job: boolean; cron: boolean; alerts: boolean };

type FirstStepsProps = {
  done: StepsDone;
  /** Null: the echo is off. */
  echoUrl: string | null;
  channel: ChannelView['kind'];
};

/** Until all are done or hidden. */
export function FirstSteps({ done, echoUrl, channel }: FirstStepsProps) {
  const mayChooseChannel = useMayNotify();
  const [sendJob, whatJob] = done.job
    ? [<Link to="/runs">See runs</Link>, 'A run has succeeded.']
    : echoUrl === null
      ? [<Link to="/jobs/new">Create job</Link>, 'A job sends one request to a URL, now or later.']
      : [
          <ActionButton intent="sample-job" variant="filled">
            Send sample job
          </ActionButton>,
          <>
            Sends one request to Belfry’s own echo endpoint, which returns it. To do this yourself{' '}
            <Link to="/settings/api-token">with curl</Link>, you need an API token.
          </>,
        ];
  return (
    <section className="panel" aria-labelledby="first-steps">
      <header>
        <h2 id="first-steps">First steps</h2>
        <ActionButton intent="hide-steps" variant="quiet" size="small">
          Hide
        </ActionButton>
      </header>
      <ol className={`rows ${classes.steps}`}>
        <Step number={1} title="Send a sample job" isDone={done.job} action={sendJob}>
          {whatJob}
        </Step>
        <Step
          number={2}
          title="Create a cron"
          isDone={done.cron}
          action={
            <Link to={done.cron ? '/crons' : '/crons/new?sample=1'}>
              {done.cron ? 'See crons' : 'Create cron'}
            </Link>
          }
        >
          A cron sends a request on a schedule.
        </Step>
        <Step
          number={3}
          title="Set up notifications"
          isDone={done.alerts}
          action={
            mayChooseChannel ? (
              <Link to={`/settings/notifications/${DEFAULT_REF}`}>
                {done.alerts ? 'Change' : 'Set up'}
              </Link>
            ) : null
          }
        >
          {describeAlerts(done.alerts, channel)}
          {mayChooseChannel || done.alerts ? null : ' An admin of the team can set this up.'}
        </Step>
      </ol>
    </section>
  );
}

function describeAlerts(isDone: boolean, channel: ChannelView['kind']): string {
  if (!isDone) return 'For now alerts only appear on the Alerts page.';
  return channel === 'email'
    ? 'Alerts are emailed to every member.'
    : `Alerts go to ${nameOfKind(channel)}.`;
}

type StepProps = {
  number: number;
  title: string;
  isDone: boolean;
  action: ReactNode;
  children: ReactNode;
};

function Step({ number, title, isDone, action, children }: StepProps) {
  return (
    <li data-done={isDone || undefined}>
      <span className={classes.number}>
        {isDone ? <Glyph name="check" size={14} /> : number}
        {isDone ? <span className="sr-only">Done:</span> : null}
      </span>
      <div>
        <h3>{title}</h3>
        <p className="muted">{children}</p>
      </div>
      <div className={classes.action}>{action}</div>
    </li>
  );
}
