import { ActionButton } from '../forms/Form.tsx';
import { Link } from 'react-router';
import { DEFAULT_REF } from '#domain/alerts/alert-settings';
import { nameOfKind } from '#domain/alerts/notification-channel';
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
  const steps = [
    { title: 'Send a sample job', isDone: done.job, text: whatJob, action: sendJob },
    {
      title: 'Create a cron',
      isDone: done.cron,
      text: 'A cron sends a request on a schedule.',
      action: done.cron ? (
        <Link to="/crons">See crons</Link>
      ) : (
        <Link to="/crons/new?sample=1">Create cron</Link>
      ),
    },
    {
      title: 'Set up notifications',
      isDone: done.alerts,
      text: `${describeAlerts(done.alerts, channel)}${mayChooseChannel || done.alerts ? '' : ' An admin of the team can set this up.'}`,
      action: mayChooseChannel ? (
        <Link to={`/settings/notifications/${DEFAULT_REF}`}>
          {done.alerts ? 'Change' : 'Set up'}
        </Link>
      ) : null,
    },
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
        {steps.map(({ title, isDone, text, action }, at) => (
          <li key={title} data-done={isDone || undefined}>
            <span className={classes.number}>
              {isDone ? <Glyph name="check" size={14} /> : at + 1}
              {isDone ? <span className="sr-only">Done:</span> : null}
            </span>
            <div>
              <h3>{title}</h3>
              <p className="muted">{text}</p>
            </div>
            <div className={classes.action}>{action}</div>
          </li>
        ))}
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
