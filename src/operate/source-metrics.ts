import type { Registry } from 'prom-client';
import type { Clock } from '#domain/base/clock';
import type {
  EachSource,
  OutcomeCounts,
  SourceFigures,
  TeamFigures,
} from '#store/figures/source-figures';
import { type Figure, type Labels, throttled, watchFigures } from './figures.ts';

/** They cost more than other metrics, and Prometheus scrapes about as often. */
const READ_EVERY_MS = 15_000;

interface SourceReader {
  clock: Clock;
  read: (now: number) => Promise<EachSource>;
  /** Null: no limit. */
  monthlyLimitOf: (plan: string) => number | null;
}

type SourceFigure = Figure<EachSource>;

/** The same values in every process. */
export function watchSources(
  registry: Registry,
  { clock, read, monthlyLimitOf }: SourceReader,
): void {
  watchFigures(registry, throttled(clock, read, READ_EVERY_MS), [
    ...figuresOf('cron', ({ crons }) => crons),
    ...figuresOf('queue', ({ queues }) => queues),
    runsOf('cron', 'Runs that were sent', ({ crons }) => crons),
    runsOf('queue', 'Attempts that were sent', ({ queues }) => queues),
    ...figuresOfTeams(monthlyLimitOf),
    LEFT_OUT,
  ]);
}

function figuresOf(
  of: 'cron' | 'queue',
  sourcesOf: (found: EachSource) => readonly SourceFigures[],
): SourceFigure[] {
  const figure = (
    name: string,
    help: string,
    valueOf: (figures: SourceFigures) => number | null,
  ): SourceFigure => ({
    name: `belfry_${of}_${name}`,
    help,
    labelNames: ['team', of, 'id'],
    valueOf: (found) => sourcesOf(found).map((each) => [labelsOf(of, each), valueOf(each)]),
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
): SourceFigure => ({
  name: `belfry_${of}_runs_total`,
  help: `${what} and have ended, since midnight UTC`,
  labelNames: ['team', of, 'id', 'outcome'],
  isCounter: true,
  valueOf: (found) =>
    sourcesOf(found).flatMap((each) => {
      const { success, retried, failed } = each.runs;
      const runs = of === 'cron' ? { success, failed } : { success, retried, failed };
      return byOutcome(labelsOf(of, each), runs);
    }),
});

const LEFT_OUT: SourceFigure = {
  name: 'belfry_sources_left_out',
  help: 'Crons, queues and teams beyond METRICS_MAX_SOURCES',
  labelNames: ['kind'],
  valueOf: ({ leftOut }) => Object.entries(leftOut).map(([kind, count]) => [{ kind }, count]),
};

function figuresOfTeams(monthlyLimitOf: SourceReader['monthlyLimitOf']): SourceFigure[] {
  const labelNames = ['team', 'id'];
  const figure = (
    name: string,
    help: string,
    valueOf: (team: TeamFigures) => number | null,
  ): SourceFigure => ({
    name,
    help,
    labelNames,
    valueOf: ({ teams }) => teams.map((team) => [labelsOfTeam(team), valueOf(team)]),
  });
  return [
    {
      name: 'belfry_team_runs_total',
      help: 'Runs that have ended, since midnight UTC',
      labelNames: [...labelNames, 'outcome'],
      isCounter: true,
      valueOf: ({ teams }) => teams.flatMap((team) => byOutcome(labelsOfTeam(team), team.runs)),
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
