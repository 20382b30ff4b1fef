import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Panel } from '../parts/Panel.tsx';
import { RequestLine } from '../parts/RequestLine.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import type { Overview } from '../services.ts';
import { Outcome } from './run-columns.tsx';
import { OutcomeBars } from './DurationPlot.tsx';
import classes from './OverviewPanels.module.css';
import { labelDay, labelHour } from './ranges.ts';
import { describeOutcome, jobStatus } from './reasons.ts';

type Part = { overview: Overview };

function List({ title, to, children }: { title: string; to: string; children: ReactNode }) {
  return (
    <Panel title={title} beside={<Link to={to}>All</Link>} className={classes.list} isBare>
      {children}
    </Panel>
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
