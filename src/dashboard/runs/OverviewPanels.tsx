import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { RequestLine } from '../parts/RequestLine.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import type { OutcomeStep, Overview } from '../services.ts';
import { Outcome } from './run-columns.tsx';
import { OutcomeBars } from './DurationPlot.tsx';
import classes from './OverviewPanels.module.css';
import { labelDay, labelHour } from './ranges.ts';
import { describeOutcome, jobStatus } from './reasons.ts';
import { runsOf } from './run-links.ts';

type Part = { overview: Overview };

function List({ title, to, children }: { title: string; to?: string; children: ReactNode }) {
  return (
    <section className={`panel ${classes.list}`}>
      <header>
        <h2>{title}</h2>
        {to ? <Link to={to}>All</Link> : null}
      </header>
      {children}
    </section>
  );
}

export function NextUp({ overview: { nextUp } }: Part) {
  return (
    <List title="Next up" to="/jobs?tab=pending">
      {nextUp.length === 0 ? (
        <p className={classes.none}>Nothing is planned.</p>
      ) : (
        <ol className={`${classes.rows} ${classes.planned}`}>
          {nextUp.map((entry) =>
            entry.kind === 'cron' ? (
              <li key={entry.cronId}>
                <span className="quiet">Cron</span>
                <Link to={`/crons/${entry.cronId}`}>{entry.name}</Link>
                <span className={classes.outcome} />
                <Time at={entry.at} />
              </li>
            ) : (
              <li key={entry.job.id}>
                <span className="quiet">Job</span>
                <Link to={`/jobs/${entry.job.id}`}>
                  <RequestLine method={entry.job.method} url={entry.job.url} />
                </Link>
                <span className={classes.outcome}>{entry.job.queue}</span>
                <Time at={entry.at} />
              </li>
            ),
          )}
        </ol>
      )}
    </List>
  );
}

export function JustHappened({ overview: { justHappened } }: Part) {
  return (
    <List title="Just happened" to="/runs">
      {justHappened.length === 0 ? (
        <p className={classes.none}>Nothing has run yet.</p>
      ) : (
        <ol className={classes.rows}>
          {justHappened.map((entry) =>
            entry.kind === 'job' ? (
              <li key={entry.job.id}>
                <Status name={jobStatus(entry.job)} />
                <Link to={`/jobs/${entry.job.id}`}>
                  <RequestLine method={entry.job.method} url={entry.job.url} />
                </Link>
                <span className={classes.outcome}>
                  <Outcome run={entry.job} words={describeOutcome(entry.job)} />
                </span>
                <Time at={entry.at} />
              </li>
            ) : (
              <li key={entry.execution.id}>
                <Status name={entry.execution.status} />
                <Link to={`/executions/${entry.execution.id}`}>{entry.cronName}</Link>
                <span className={classes.outcome}>{describeOutcome(entry.execution)}</span>
                <Time at={entry.at} />
              </li>
            ),
          )}
        </ol>
      )}
    </List>
  );
}

export function OutcomePlots({ overview: { lastDay, lastMonth } }: Part) {
  return (
    <div className={classes.plots}>
      <Outcomes title="Runs per hour, last 24 hours, UTC" steps={lastDay} label={labelHour} />
      <Outcomes title="Runs per day, last 30 days, UTC" steps={lastMonth} label={labelDay} />
    </div>
  );
}

function Outcomes({
  title,
  steps,
  label,
}: {
  title: string;
  steps: readonly OutcomeStep[];
  label: (from: number) => string;
}) {
  return (
    <section className="panel">
      <div className="body">
        <OutcomeBars
          title={title}
          steps={steps}
          label={label}
          links={steps.map((step) => (hasRuns(step) ? runsOf(step) : null))}
        />
      </div>
    </section>
  );
}

export function hasRuns({ success, retried, failed }: OutcomeStep): boolean {
  return success + retried + failed > 0;
}
