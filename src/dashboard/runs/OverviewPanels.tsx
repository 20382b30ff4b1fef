import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { describeDuration, formatMilliseconds } from '#domain/base/duration-words';
import { MuteForAnHour } from '../alerts/MaintenanceNotice.tsx';
import { type Column, DataTable, timeColumn } from '../lists/DataTable.tsx';
import { useShell } from '../page/shell.ts';
import { Glyph } from '../parts/Glyph.tsx';
import { Panel } from '../parts/Panel.tsx';
import { ConfirmDialog } from '../parts/Popover.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import type { Counts, Overview, PeriodFigures, Trouble, Usage } from '../services.ts';
import {
  capped,
  countOf,
  formatAmount,
  formatRate,
  formatRunsAnHour,
  NOTHING,
} from '../words/amounts.ts';
import { SpreadField } from './AskAgain.tsx';
import { OutcomeBars } from './DurationPlot.tsx';
import { describeStopAfter, StartCron, StatusWithCount } from './HealthWord.tsx';
import { failedOf } from './job-search.ts';
import classes from './OverviewPanels.module.css';
import { labelDay, labelHour } from './ranges.ts';
import { describeOutcome, jobStatus } from './reasons.ts';
import { Outcome, requestColumn } from './run-columns.tsx';
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
        <p className="body row" data-tone="teal">
          <Glyph name="check" size={14} /> Nothing. No cron or queue is failing, and no failed job
          is left.
        </p>
      ) : (
        <ul className={classes.troubles}>
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
            <CountRow
              key={`${id} ${host} ${endsAt}`}
              tone="plain"
              text={
                <>
                  The certificate of {host} is valid until <Time at={endsAt} />
                </>
              }
            >
              <Link to={`/${kind}s/${id}`}>{name}</Link>
            </CountRow>
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

type CountRowProps = { tone: 'red' | 'plain'; text: ReactNode; children: ReactNode };

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

type Figure = readonly [name: ReactNode, value: string, below: string];

type FiguresProps = {
  overview: Overview;
  counts: Counts;
  usage: Usage;
};

export function Figures({ overview: { figures }, counts, usage }: FiguresProps) {
  const { lastDay, lastWeek, oldestWaitMs, longestWaitOfWeekMs } = figures;
  const pair = (name: string, write: (figures: PeriodFigures) => string): Figure => [
    name,
    write(lastDay),
    `${write(lastWeek)} in 7 d`,
  ];
  const { jobs, crons, queues } = counts;
  const ofRuns: readonly Figure[] = [
    pair('Success rate', ({ successRate }) => formatRate(successRate)),
    pair('Runs an hour', ({ runsAnHour }) => formatRunsAnHour(runsAnHour)),
    pair('Median duration', ({ medianMs }) => formatAbout(medianMs)),
    pair('95th percentile', ({ p95Ms }) => formatAbout(p95Ms)),
    ['Oldest waiting', formatWait(oldestWaitMs), `${formatWait(longestWaitOfWeekMs)} in 7 d`],
  ];
  const shown: readonly Figure[] = [
    ...(lastWeek.runsAnHour === null ? [] : ofRuns),
    [
      <Link to="/jobs?tab=pending">Pending jobs</Link>,
      count(jobs.pending),
      `${count(jobs.retrying)} retrying, ${count(jobs.processing)} processing`,
    ],
    [
      <Link to="/crons">Crons</Link>,
      count(crons.active + crons.paused),
      `${count(crons.paused)} paused`,
    ],
    [
      <Link to="/queues">Queues</Link>,
      count(queues.active + queues.paused),
      `${count(queues.paused)} paused`,
    ],
    [
      'Runs this month',
      usage.used.toLocaleString('en'),
      usage.limit === null ? 'no limit' : `of ${usage.limit.toLocaleString('en')}`,
    ],
  ];
  return (
    <Panel title="Last 24 hours and now" isBare>
      <dl className={classes.figures}>
        {shown.map(([name, value, below], at) => (
          <div key={at}>
            <dt>{name}</dt>
            <dd className="num">{value}</dd>
            <dd className={classes.below}>{below}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

const count = (number: number) => formatAmount(capped(number));

function formatWait(ms: number): string {
  return ms < 1000 ? 'none' : describeDuration(ms);
}

/** The precision of the estimate. */
function formatAbout(ms: number | null): string {
  return ms === null ? '–' : formatMilliseconds(Number(ms.toPrecision(2)));
}

type Part = { overview: Overview };

type ListProps<Row> = {
  title: string;
  to: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  none: string;
};

function List<Row>({ title, to, none, ...table }: ListProps<Row>) {
  return (
    <Panel title={title} beside={<Link to={to}>All</Link>} isBare>
      {table.rows.length === 0 ? (
        <p className="body muted">{none}</p>
      ) : (
        <DataTable caption={title} {...table} />
      )}
    </Panel>
  );
}

export function NextUp({ overview: { nextUp } }: Part) {
  return (
    <List
      title="Next up"
      to="/jobs?tab=pending"
      columns={nextColumns}
      rows={nextUp}
      keyOf={(entry) => (entry.kind === 'cron' ? entry.cronId : entry.job.id)}
      none="Nothing is planned."
    />
  );
}

const nextColumns: Column<Overview['nextUp'][number]>[] = [
  { head: 'Kind', width: '64px', cell: ({ kind }) => (kind === 'cron' ? 'Cron' : 'Job') },
  {
    head: 'What',
    cell: (entry) =>
      entry.kind === 'cron' ? (
        <Link to={`/crons/${entry.cronId}`}>{entry.name}</Link>
      ) : (
        requestColumn.cell(entry.job)
      ),
  },
  {
    head: 'Queue',
    width: '176px',
    isPlain: true,
    isCutOnPhone: true,
    givesWay: 1,
    cell: (entry) => (entry.kind === 'cron' ? NOTHING : entry.job.queue),
  },
  timeColumn('When', ({ at }) => at, { isPlain: true }),
];

export function JustHappened({ overview: { justHappened } }: Part) {
  return (
    <List
      title="Just happened"
      to="/runs"
      columns={pastColumns}
      rows={justHappened}
      keyOf={(entry) => (entry.kind === 'job' ? entry.job.id : entry.execution.id)}
      none="Nothing has run yet."
    />
  );
}

const pastColumns: Column<Overview['justHappened'][number]>[] = [
  {
    head: 'Status',
    width: '136px',
    cell: (entry) => (
      <Status name={entry.kind === 'job' ? jobStatus(entry.job) : entry.execution.status} />
    ),
  },
  {
    head: 'What',
    cell: (entry) =>
      entry.kind === 'job' ? (
        requestColumn.cell(entry.job)
      ) : (
        <Link to={`/executions/${entry.execution.id}`}>{entry.cronName}</Link>
      ),
  },
  {
    head: 'Outcome',
    width: '186px',
    isPlain: true,
    givesWay: 1,
    cell: (entry) =>
      entry.kind === 'job' ? (
        <Outcome run={entry.job} words={describeOutcome(entry.job)} />
      ) : (
        describeOutcome(entry.execution)
      ),
  },
  timeColumn('When', ({ at }) => at, { isPlain: true }),
];

export function OutcomePlots({ overview: { lastDay, lastMonth } }: Part) {
  const plots = [
    { title: 'Runs per hour, last 24 hours, UTC', steps: lastDay, label: labelHour },
    { title: 'Runs per day, last 30 days, UTC', steps: lastMonth, label: labelDay },
  ];
  return (
    <div className={classes.plots}>
      {plots.map((plot) => (
        <section key={plot.title} className="panel">
          <div className="body">
            <OutcomeBars {...plot} />
          </div>
        </section>
      ))}
    </div>
  );
}
