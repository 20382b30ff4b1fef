import { countFinished, rankHealth } from '#domain/alerts/health';
import { DAY_MS, HOUR_MS } from '#domain/base/instant';
import type { EndingCertificate } from '#store/alerts/certificates';
import type { ExecutionRecord } from '#store/crons/crons';
import type { Attention, Counts } from '#store/figures/team-counts';
import type { JobSearch, SourceKind } from '#store/lists/lists';
import { MOST_IN_A_ROW } from '#store/lists/queue-lists';
import type { RunRecord } from '#store/runs/run-records';
import { bind } from '#store/database/context';
import type { Store } from '#store/store';
import { type JudgedSource, listSources, readStreaksOf, type Streak } from './sources.ts';
import { countSteps, figuresOf, stepsUntil } from './figures.ts';
import { readOutages } from './outages.ts';

export type { Counts, Attention };

export function createOverviewWork(store: Store) {
  const { teamCounts } = store;
  return {
    ...bind(store, { readOverview }),
    readAttention: (teamId: string) => teamCounts.readAttention(teamId),
    readCounts: (teamId: string) => teamCounts.readCounts(teamId),
  };
}

const SHOWN = 10;
const MOST_JUDGED = 50;
/** As many as the strips of results have. */
const RESULTS = 50;
const DAYS = 30;
const MOST_CERTIFICATES = 5;

export type Overview = Awaited<ReturnType<typeof readOverview>>;
export type Figures = Overview['figures'];

async function readOverview(store: Store, teamId: string) {
  const { lists, outcomes, durations, depths, teamPauses, certificates, clock } = store;
  const now = clock.now();
  const lastDay = stepsUntil(now, { stepMs: HOUR_MS, count: 24 });
  const lastMonth = stepsUntil(now, { stepMs: DAY_MS, count: DAYS });
  const weekFrom = lastDay.from - 6 * DAY_MS;
  const outages = await readOutages(store, { from: lastMonth.from });
  const reading = listSources(store, teamId, 'queue', { withRunning: false });
  const [last, next, queues, crons, hours, timed, looked, planned, ended, pause, ending] =
    await Promise.all([
      lists.readLastRuns(teamId, SHOWN),
      lists.listNextCrons(teamId, SHOWN),
      reading,
      listSources(store, teamId, 'cron'),
      outcomes.readHours(teamId, lastMonth.from),
      durations.readHours(teamId, teamId, weekFrom),
      depths.read(teamId, teamId, weekFrom),
      reading.then((found) =>
        // Jobs of paused queues are not next.
        listJobs(
          store,
          teamId,
          [{ tab: 'pending', from: firstDue(found, now) }, { tab: 'retrying' }],
          true,
        ),
      ),
      listJobs(store, teamId, [{ tab: 'completed' }, { tab: 'failed' }], false),
      teamPauses.read(teamId),
      certificates.listOfTeam(teamId, MOST_CERTIFICATES),
    ]);
  const waits = looked.depths.map(({ oldestMs }) => oldestMs);
  const oldestWaitMs = findLongestWait(queues, now);
  const nextUp = [...next.map(asPlanned), ...planned].toSorted((a, b) => a.at - b.at);
  return {
    figures: {
      lastDay: figuresOf(hours, timed, { from: lastDay.from, now }),
      lastWeek: figuresOf(hours, timed, { from: weekFrom, now }),
      /** Of the earliest due job now, and the longest of the week; without paused queues. */
      oldestWaitMs,
      longestWaitOfWeekMs: Math.max(oldestWaitMs, ...waits),
    },
    ...(await findTroubles(store, teamId, { cron: crons, queue: queues })),
    /** The first that end. */
    certificates: nameSources(ending, { cron: crons, queue: queues }),
    nextUp: pause ? [] : nextUp.slice(0, SHOWN),
    justHappened: [...last.map(asHappened), ...ended]
      .toSorted((a, b) => b.at - a.at)
      .slice(0, SHOWN),
    lastDay: countSteps(hours, lastDay, { outages, now }),
    lastMonth: countSteps(hours, lastMonth, { outages, now }),
  };
}

/** The time of the first waiting job, or now: a list from there skips the rows claimed since an old snapshot began. */
function firstDue(queues: readonly JudgedSource[], now: number): number {
  return Math.min(now, ...queues.map(({ nextAt }) => nextAt ?? now));
}

function nameSources(
  ending: readonly (EndingCertificate & { sourceId: string })[],
  sources: Record<'cron' | 'queue', readonly JudgedSource[]>,
) {
  return ending.flatMap(({ sourceId, ...certificate }) =>
    (['cron', 'queue'] as const).flatMap((kind) => {
      const source = sources[kind].find(({ id }) => id === sourceId);
      return source ? [{ ...certificate, kind, id: sourceId, name: source.name }] : [];
    }),
  );
}

function findLongestWait(queues: readonly JudgedSource[], now: number): number {
  const due = queues.filter(({ isPaused }) => !isPaused).map(({ nextAt }) => nextAt ?? now);
  return Math.max(0, ...due.map((at) => now - at));
}

async function listJobs(
  { lists }: Store,
  teamId: string,
  searches: readonly JobSearch[],
  isPausedLeftOut: boolean,
) {
  const pages = await Promise.all(
    searches.map((search) => lists.listJobs(teamId, search, { limit: SHOWN, isPausedLeftOut })),
  );
  return pages
    .flatMap(({ rows }) => rows)
    .map((job) => ({ kind: 'job' as const, job, at: job.at }));
}

function asPlanned(cron: { id: string; name: string; nextRunAt: number }) {
  return { kind: 'cron' as const, cronId: cron.id, name: cron.name, at: cron.nextRunAt };
}

function asHappened(ended: { execution: ExecutionRecord; cronName: string }) {
  return { kind: 'execution' as const, ...ended, at: ended.execution.completedAt ?? 0 };
}

/** Reads streaks of the first ones only, so that the cost has a bound. */
async function findTroubles(
  store: Store,
  teamId: string,
  sources: Record<'cron' | 'queue', readonly JudgedSource[]>,
): Promise<{ troubles: Trouble[]; moreTroubles: number }> {
  const needy = (['cron', 'queue'] as const).map((kind) => {
    const all = sources[kind].filter(({ health }) => health === 'failing' || health === 'late');
    return { kind, all };
  });
  const found = await Promise.all(
    needy.map(async ({ kind, all }) => {
      const first = all.slice(0, MOST_JUDGED);
      const ids = first.map(({ id }) => id);
      const [streaks, watches] = await Promise.all([
        readStreaksOf(store, kind, first),
        kind === 'cron' ? [] : store.alerts.listOpenWatches(teamId, ids),
      ]);
      return first.map(({ id, name, health, isMuted, nextAt }): Needy => {
        const streak = streaks.get(id) ?? null;
        const open = watches.filter(({ queueId }) => queueId === id);
        const watchWords = open.map(({ words }) => words).join(' ') || null;
        const since = streak?.since ?? open[0]?.since ?? nextAt ?? 0;
        return { kind, id, name, health, isMuted, streak, watchWords, since };
      });
    }),
  );
  const shown = found
    .flat()
    .toSorted((a, b) => rankHealth(a.health) - rankHealth(b.health) || b.since - a.since)
    .slice(0, SHOWN);
  const total = needy.reduce((sum, { all }) => sum + all.length, 0);
  return {
    troubles: await Promise.all(shown.map((source) => describeTrouble(store, teamId, source))),
    moreTroubles: total - shown.length,
  };
}

/** Pages get the whole object, so it has nothing that they don't show. */
function outcomeOf({ id, responseStatus, reason, errorMessage }: RunRecord) {
  return { id, responseStatus, reason, errorMessage };
}

interface Needy extends Pick<JudgedSource, 'id' | 'name' | 'health' | 'isMuted'> {
  kind: SourceKind;
  /** The end of the streak's first run; if late, the due time of its earliest run. */
  since: number;
  streak: Streak | null;
  /** The texts of open alerts about a whole queue. */
  watchWords: string | null;
}

export type Trouble = Awaited<ReturnType<typeof describeTrouble>>;

async function describeTrouble(store: Store, teamId: string, source: Needy) {
  const { lists, jobs, crons } = store;
  const { id, streak } = source;
  const isCron = source.kind === 'cron';
  const readResults = () =>
    isCron ? lists.readCronResults(teamId, [id], RESULTS) : lists.readQueueResults([id], RESULTS);
  const [results, cron, run, failedJobs] = await Promise.all([
    streak && readResults(),
    isCron ? crons.find(teamId, id) : null,
    streak && (isCron ? crons.findExecution : jobs.find)(teamId, streak.lastRunId),
    isCron ? null : lists.countJobs(teamId, { tab: 'failed', queueId: id }, MOST_IN_A_ROW),
  ]);
  return {
    ...source,
    health: source.health === 'failing' ? ('failing' as const) : ('late' as const),
    /** The other number of `9 of 9`; only for a streak. */
    finished: countFinished(results?.get(id) ?? []),
    /** Failures that paused a cron, until it is started. */
    stoppedAfter: cron?.stoppedAfter ?? null,
    lastRun: run && outcomeOf(run),
    /** Failed jobs that no one retried. */
    failedJobs,
  };
}
