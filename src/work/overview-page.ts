import { HOUR_MS, DAY_MS } from '#domain/instant';
import { countFinished, rankHealth } from '#domain/health';
import type { ExecutionRecord } from '#store/crons/crons';
import type { EndingCertificate } from '#store/alerts/certificates';
import type { JobSearch } from '#store/lists/lists';
import type { Store } from '#store/store';
import type { EndedRun, Trouble } from './cron-contract.ts';
import { countSteps, figuresOf, stepsUntil } from './figures.ts';
import { readOutages } from './outages.ts';
import { type JudgedSource, listSources, readStreaksOf } from './sources.ts';

const SHOWN = 10;
const MOST_JUDGED = 50;
/** As many as the strips of results have. */
const RESULTS = 50;
const DAYS = 30;
const MOST_CERTIFICATES = 5;

export type Overview = Awaited<ReturnType<typeof readOverview>>;
export type Figures = Overview['figures'];

export async function readOverview(store: Store, teamId: string) {
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

export function asHappened({
  execution,
  cronName,
}: {
  execution: ExecutionRecord;
  cronName: string;
}): EndedRun {
  return { kind: 'execution', execution, cronName, at: execution.completedAt ?? 0 };
}

function readOpenWatches({ alerts }: Store, teamId: string, queues: readonly JudgedSource[]) {
  return alerts.listOpenWatches(
    teamId,
    queues.map(({ id }) => id),
  );
}

/** Streaks are read of the first ones only, so many failures cost no more. */
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
      const [streaks, watches] = await Promise.all([
        readStreaksOf(store, kind, first),
        kind === 'cron' ? [] : readOpenWatches(store, teamId, first),
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
function outcomeOf(run: NonNullable<Trouble['lastRun']>): Trouble['lastRun'] {
  const { id, responseStatus, reason, errorMessage } = run;
  return { id, responseStatus, reason, errorMessage };
}

type Needy = Pick<JudgedSource, 'health'> &
  Omit<Trouble, 'health' | 'finished' | 'stoppedAfter' | 'lastRun' | 'failedJobs'>;

async function describeTrouble(store: Store, teamId: string, source: Needy): Promise<Trouble> {
  const { lists, jobs, crons } = store;
  const { kind, id, name, isMuted, streak, watchWords, since } = source;
  const isCron = kind === 'cron';
  const [results, cron, run, failedJobs] = await Promise.all([
    isCron ? lists.readCronResults(teamId, [id], RESULTS) : lists.readQueueResults([id], RESULTS),
    isCron ? crons.find(teamId, id) : null,
    streak && (isCron ? crons.findExecution : jobs.find)(teamId, streak.lastRunId),
    isCron ? null : lists.countJobs(teamId, { tab: 'failed', queueId: id }),
  ]);
  const finished = countFinished(results.get(id) ?? []);
  const health = source.health === 'failing' ? 'failing' : 'late';
  const stoppedAfter = cron?.stoppedAfter ?? null;
  const facts = { health, isMuted, streak, since, finished, stoppedAfter, watchWords } as const;
  return { kind, id, name, ...facts, lastRun: run && outcomeOf(run), failedJobs };
}
