import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '#domain/clock';
import type {
  EachSource,
  OutcomeCounts,
  SourceFigures,
  TeamFigures,
} from '#store/figures/source-figures';
import { throttled } from './throttled.ts';

/** They cost more than other metrics, and Prometheus scrapes about as often. */
const READ_EVERY_MS = 15_000;

interface SourceReader {
  clock: Clock;
  read: (now: number) => Promise<EachSource>;
  /** Null: no limit. */
  monthlyLimitOf: (plan: string) => number | null;
}

type Labels = Readonly<Record<string, string>>;

interface Figure {
  name: string;
  help: string;
  labelNames: readonly string[];
  isCounter?: true;
  /** A series whose value is null is left out. */
  seriesOf: (found: EachSource) => [Labels, number | null][];
}

/** The same values in every process. */
export function watchSources(
  registry: Registry,
  { clock, read, monthlyLimitOf }: SourceReader,
): void {
  const look = throttled(clock, () => read(clock.now()), READ_EVERY_MS);
  const figures = [
    ...figuresOf('cron', ({ crons }) => crons),
    ...figuresOf('queue', ({ queues }) => queues),
    runsOf('cron', 'Runs that were sent', ({ crons }) => crons),
    runsOf('queue', 'Attempts that were sent', ({ queues }) => queues),
    ...figuresOfTeams(monthlyLimitOf),
    LEFT_OUT,
  ];
  for (const { isCounter, seriesOf, ...metricOptions } of figures) {
    const options = { ...metricOptions, registers: [registry] };
    const collect = async () => {
      const found = await look();
      metric.reset();
      for (const [labels, value] of found === null ? [] : seriesOf(found)) {
        if (value !== null) metric.inc(labels, value);
      }
    };
    const metric: Counter | Gauge = isCounter
      ? new Counter({ ...options, collect })
      : new Gauge({ ...options, collect });
  }
}

function figuresOf(
  of: 'cron' | 'queue',
  sourcesOf: (found: EachSource) => readonly SourceFigures[],
): Figure[] {
  const figure = (
    name: string,
    help: string,
    valueOf: (figures: SourceFigures) => number | null,
  ): Figure => ({
    name: `belfry_${of}_${name}`,
    help,
    labelNames: ['team', of, 'id'],
    seriesOf: (found) => sourcesOf(found).map((each) => [labelsOf(of, each), valueOf(each)]),
  });
  return [
    figure(
      'last_success_timestamp_seconds',
      'When the last run that succeeded ended',
      ({ lastSuccessAt }) => (lastSuccessAt === null ? null : lastSuccessAt / 1000),
    ),
    figure(
      'failing_runs',
      'How many have failed for good since the last success, as far as that is counted',
      ({ failing }) => failing,
    ),
    figure(
      'oldest_due_seconds',
      'For how long the oldest has been due; 0 where nothing is',
      ({ oldestDueMs }) => oldestDueMs / 1000,
    ),
  ];
}

const runsOf = (
  of: 'cron' | 'queue',
  what: string,
  sourcesOf: (found: EachSource) => readonly SourceFigures[],
): Figure => ({
  name: `belfry_${of}_runs_total`,
  help: `${what} and have ended, since midnight UTC`,
  labelNames: ['team', of, 'id', 'outcome'],
  isCounter: true,
  seriesOf: (found) =>
    sourcesOf(found).flatMap((each) => {
      const { success, retried, failed } = each.runs;
      const runs = of === 'cron' ? { success, failed } : { success, retried, failed };
      return byOutcome(labelsOf(of, each), runs);
    }),
});

const LEFT_OUT: Figure = {
  name: 'belfry_sources_left_out',
  help: 'Crons, queues and teams beyond METRICS_MAX_SOURCES',
  labelNames: ['kind'],
  seriesOf: ({ leftOut }) => Object.entries(leftOut).map(([kind, count]) => [{ kind }, count]),
};

function figuresOfTeams(monthlyLimitOf: SourceReader['monthlyLimitOf']): Figure[] {
  const labelNames = ['team', 'id'];
  const figure = (
    name: string,
    help: string,
    valueOf: (team: TeamFigures) => number | null,
  ): Figure => ({
    name,
    help,
    labelNames,
    seriesOf: ({ teams }) => teams.map((team) => [labelsOfTeam(team), valueOf(team)]),
  });
  return [
    {
      name: 'belfry_team_runs_total',
      help: 'Runs that have ended, since midnight UTC',
      labelNames: [...labelNames, 'outcome'],
      isCounter: true,
      seriesOf: ({ teams }) => teams.flatMap((team) => byOutcome(labelsOfTeam(team), team.runs)),
    },
    figure('belfry_team_month_runs', 'Runs counted in this UTC month', (team) => team.usedInMonth),
    figure('belfry_team_month_limit', 'Runs that a month may have', ({ plan }) =>
      monthlyLimitOf(plan),
    ),
  ];
}

const labelsOf = (of: 'cron' | 'queue', { team, id, name }: SourceFigures): Labels => ({
  team,
  [of]: name,
  id,
});

const labelsOfTeam = ({ name, id }: TeamFigures): Labels => ({ team: name, id });

function byOutcome(labels: Labels, runs: Partial<OutcomeCounts>): [Labels, number][] {
  return Object.entries(runs).map(([outcome, count]) => [{ ...labels, outcome }, count]);
}
