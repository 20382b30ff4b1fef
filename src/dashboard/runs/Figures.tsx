import type { ReactNode } from 'react';
import { describeDuration, formatMilliseconds } from '#domain/duration-words';
import type { Figures as Numbers, PeriodFigures } from '../services.ts';
import classes from './Figures.module.css';
import { formatRate, formatRunsAnHour } from '../words/amounts.ts';

/** Numbers of the last day, each next to that of the last week. Renders nothing without a run in the week. */
export function Figures({ figures }: { figures: Numbers }) {
  const { lastDay, lastWeek, oldestWaitMs, longestWaitOfWeekMs } = figures;
  if (lastWeek.runsAnHour === null) return null;
  const pair = (write: (figures: PeriodFigures) => string) => ({
    day: write(lastDay),
    week: write(lastWeek),
  });
  return (
    <section className="panel">
      <header>
        <h2>Last 24 hours</h2>
        <span className="muted">beside 7 days</span>
      </header>
      <dl className={classes.figures}>
        <Figure name="Success rate" {...pair(({ successRate }) => formatRate(successRate))} />
        <Figure name="Runs an hour" {...pair(({ runsAnHour }) => formatRunsAnHour(runsAnHour))} />
        <Figure name="Median duration" {...pair(({ medianMs }) => formatAbout(medianMs))} />
        <Figure name="95 % took at most" {...pair(({ p95Ms }) => formatAbout(p95Ms))} />
        <Figure
          name="Oldest waiting"
          day={formatWait(oldestWaitMs)}
          week={`at most ${formatWait(longestWaitOfWeekMs)}`}
        />
      </dl>
    </section>
  );
}

function Figure({ name, day, week }: { name: string; day: ReactNode; week: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="num">{day}</dd>
      <dd className={classes.week}>
        <span className="num">{week}</span> in 7 d
      </dd>
    </div>
  );
}

function formatWait(ms: number): string {
  return ms < 1000 ? 'none' : describeDuration(ms);
}

/** Rounded to two digits, the precision of the estimate. */
function formatAbout(ms: number | null): string {
  return ms === null ? '–' : formatMilliseconds(Number(ms.toPrecision(2)));
}
