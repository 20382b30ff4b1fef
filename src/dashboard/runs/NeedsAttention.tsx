import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { MuteForAnHour } from '../alerts/MaintenanceNotice.tsx';
import { ConfirmDialog } from '../parts/Popover.tsx';
import { useShell } from '../page/shell.ts';
import { Panel } from '../parts/Panel.tsx';
import { Glyph } from '../parts/Glyph.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import type { Overview, Trouble } from '../services.ts';
import { capped, countOf, formatAmount } from '../words/amounts.ts';
import { SpreadField } from './AskAgain.tsx';
import { describeStopAfter, StartCron, StatusWithCount } from './HealthWord.tsx';
import { failedOf } from './job-search.ts';
import classes from './NeedsAttention.module.css';
import { describeOutcome } from './reasons.ts';
import { pageOfRun } from './run-links.ts';

type NeedsAttentionProps = Pick<Overview, 'troubles' | 'moreTroubles' | 'certificates'> & {
  asOf: number;
};

export function NeedsAttention(props: NeedsAttentionProps) {
  const { troubles, moreTroubles, certificates, asOf } = props;
  // None if the counts could not be read.
  const { failedJobs = 0, unreadAlerts = 0 } = useShell()?.attention ?? {};
  const hasNothing =
    troubles.length + certificates.length === 0 && failedJobs === 0 && unreadAlerts === 0;
  return (
    <Panel title="Needs attention" isBare>
      {hasNothing ? (
        <p className={classes.calm} data-tone="teal">
          <Glyph name="check" size={14} /> Nothing. No cron or queue is failing, and no failed job
          is left.
        </p>
      ) : (
        <ul className={classes.rows}>
          {troubles.map((trouble) => (
            <TroubleRow key={trouble.id} trouble={trouble} asOf={asOf} />
          ))}
          {moreTroubles > 0 ? (
            <CountRow tone="red" text={`${countOf(moreTroubles, 'more', 'more')} fail or are late`}>
              <Link to="/crons?status=failing">Crons</Link>
              <Link to="/queues?status=failing">Queues</Link>
            </CountRow>
          ) : null}
          {certificates.map(({ host, endsAt, kind, id, name }) => (
            <li key={`${id} ${host} ${endsAt}`} className={classes.count} data-tone="plain">
              <Glyph name="alerts" size={13} />
              <span>
                The certificate of {host} is valid until <Time at={endsAt} />
              </span>
              <span className={classes.actions}>
                <Link to={`/${kind}s/${id}`}>{name}</Link>
              </span>
            </li>
          ))}
          {failedJobs > 0 ? (
            <CountRow
              tone="red"
              text={`${countOf(capped(failedJobs), 'job', 'jobs')} failed (no retries left)`}
            >
              <Link to="/failures">Retry or delete</Link>
            </CountRow>
          ) : null}
          {unreadAlerts > 0 ? (
            <CountRow
              tone="plain"
              text={countOf(capped(unreadAlerts), 'alert is unread', 'alerts are unread')}
            >
              <Link to="/alerts">Read</Link>
            </CountRow>
          ) : null}
        </ul>
      )}
    </Panel>
  );
}

type CountRowProps = { tone: 'red' | 'plain'; text: string; children: ReactNode };

function CountRow({ tone, text, children }: CountRowProps) {
  return (
    <li className={classes.count} data-tone={tone}>
      <Glyph name={tone === 'red' ? 'failed' : 'alerts'} size={13} />
      <span>{text}</span>
      <span className={classes.actions}>{children}</span>
    </li>
  );
}

function TroubleRow({ trouble, asOf }: { trouble: Trouble; asOf: number }) {
  const { kind, id, name, isMuted, since, stoppedAfter, failedJobs } = trouble;
  return (
    <li>
      <StatusWithCount {...trouble} {...describeStopAfter(stoppedAfter)} />
      <span className={`cut ${classes.name}`}>
        <Link to={`/${kind}s/${id}`}>{name}</Link> <small className="muted">{kind}</small>
      </span>
      <span className="cut muted">
        <Cause {...trouble} />
      </span>
      <span className={`muted ${classes.since}`}>
        since <Time at={since} />
      </span>
      <span className={classes.actions}>
        {kind === 'queue' && failedJobs !== null && failedJobs.count > 0 ? (
          // The list of failures shows the progress.
          <ConfirmDialog
            word={`Retry ${formatAmount(failedJobs)}`}
            question={`Retry ${countOf(failedJobs, 'failed job', 'failed jobs')} of “${name}”?`}
            action="/failures"
            fields={{ intent: 'retry', group: failedOf(id), as_of: String(asOf) }}
            controls={<SpreadField />}
            variant="default"
            isSmall
          >
            Each becomes a new job, attempt 1. It is due now, or later if you set a rate. The failed
            jobs are kept, marked as resent.
          </ConfirmDialog>
        ) : null}
        {stoppedAfter === null ? null : <StartCron id={id} />}
        {isMuted ? <Status name="muted" /> : <MuteForAnHour source={`${kind}:${id}`} isSmall />}
      </span>
    </li>
  );
}

function Cause({ kind, health, watchWords, lastRun }: Trouble) {
  if (watchWords !== null) return watchWords;
  if (health === 'late') return 'Due, but not started';
  if (lastRun === null) return null;
  const to = pageOfRun(kind === 'cron' ? 'execution' : 'job', lastRun.id);
  return <Link to={to}>{lastRun.errorMessage ?? describeOutcome(lastRun)}</Link>;
}
