import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { describeDuration, formatMilliseconds } from '#domain/base/duration-words';
import { Panel } from '../parts/Panel.tsx';
import type { Counts, Figures as Numbers, PeriodFigures, Usage } from '../services.ts';
import { capped, formatAmount, formatRate, formatRunsAnHour } from '../words/amounts.ts';
import classes from './Figures.module.css';

type FiguresProps = { figures: Numbers; counts: Counts; usage: Usage; forecast: string | null };

export function Figures({ figures, counts, usage, forecast }: FiguresProps) {
  const { lastDay, lastWeek, oldestWaitMs, longestWaitOfWeekMs } = figures;
  const pair = (write: (figures: PeriodFigures) => string) => ({
    value: write(lastDay),
    below: `${write(lastWeek)} in 7 d`,
  });
  const { jobs, crons, queues } = counts;
  return (
    <Panel title="Last 24 hours" beside={<span className="muted">and now</span>} isBare>
      <dl className={classes.figures}>
        {lastWeek.runsAnHour === null ? null : (
          <>
            <Figure name="Success rate" {...pair(({ successRate }) => formatRate(successRate))} />
            <Figure
              name="Runs an hour"
              {...pair(({ runsAnHour }) => formatRunsAnHour(runsAnHour))}
            />
            <Figure name="Median duration" {...pair(({ medianMs }) => formatAbout(medianMs))} />
            <Figure name="95th percentile" {...pair(({ p95Ms }) => formatAbout(p95Ms))} />
            <Figure
              name="Oldest waiting"
              value={formatWait(oldestWaitMs)}
              below={`${formatWait(longestWaitOfWeekMs)} in 7 d`}
            />
          </>
        )}
        <Figure
          name={<Link to="/jobs?tab=pending">Pending jobs</Link>}
          value={count(jobs.pending)}
          below={`${count(jobs.retrying)} retrying, ${count(jobs.processing)} processing`}
        />
        <Figure
          name={<Link to="/crons">Crons</Link>}
          value={count(crons.active + crons.paused)}
          below={`${count(crons.paused)} paused`}
        />
        <Figure
          name={<Link to="/queues">Queues</Link>}
          value={count(queues.active + queues.paused)}
          below={`${count(queues.paused)} paused`}
        />
        <Figure
          name="Runs this month"
          value={usage.used.toLocaleString('en')}
          below={
            forecast ??
            (usage.limit === null ? 'no limit' : `of ${usage.limit.toLocaleString('en')}`)
          }
        />
      </dl>
    </Panel>
  );
}

const count = (number: number) => formatAmount(capped(number));

type FigureProps = { name: ReactNode; value: string; below: string };

function Figure({ name, value, below }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="num">{value}</dd>
      <dd className={classes.below}>{below}</dd>
    </div>
  );
}

function formatWait(ms: number): string {
  return ms < 1000 ? 'none' : describeDuration(ms);
}

/** The precision of the estimate. */
function formatAbout(ms: number | null): string {
  return ms === null ? '–' : formatMilliseconds(Number(ms.toPrecision(2)));
}
