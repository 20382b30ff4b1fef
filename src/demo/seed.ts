import { setTimeout as delay } from 'node:timers/promises';
import { add, below, change, remove } from '#store/database/rows';
import { type BelfryService, buildService } from '#app/service';
import type { Config } from '#config/config';
import { DEFAULT_REF } from '#domain/alerts/alert-settings';
import { silentLog } from '#domain/base/log';
import { LOOK_EVERY_MS } from '#store/figures/depths';
import { openStore } from '#store/store';
import type { CronInput } from '#work/resources/cron';
import type { JobInput } from '#work/resources/job';
import type { WindowInput } from '#work/resources/window';
import { FakeClock } from './fake-clock.ts';
import type { DemoTarget } from './target.ts';

export const DEMO = {
  email: 'ada@northwind.example',
  password: 'night shift at the belfry',
  team: 'Northwind Operations',
};

const HALF_HOUR = 30 * 60_000;
/**
 * Retries come due so soon after the half hour. On a busy machine, the fast clock would go on to the next half hour
 * while they run.
 */
const RETRIES_DUE_MS = 3_000;
const MAIL_RETRIES = [1800, 3600];
export const DEMO_DAYS = 30;

/**
 * The service sends every request to the target, on a fast clock.
 * @returns the first user's API token
 */
export async function seedDemo({
  config,
  appKey,
  target,
  days = DEMO_DAYS,
}: {
  config: Config;
  appKey: Uint8Array;
  target: DemoTarget;
  days?: number;
}): Promise<string> {
  // The demo's schedules and retries are on half hours.
  const end = Math.floor(Date.now() / HALF_HOUR) * HALF_HOUR;
  const start = end - days * 24 * 3_600_000;
  const clock = new FakeClock(start);
  if (config.database.kind === 'postgres') throw new Error('the demo lives in SQLite');
  const store = await openStore({
    location: config.database,
    appKey,
    clock,
    log: silentLog,
    serving: true,
  });
  const service = buildService({
    config,
    appKey,
    store,
    log: silentLog,
    baseUrl: 'http://localhost:3000',
    leaseMs: 365 * 24 * 3_600_000,
  });
  target.pass = (ms) => clock.advance(ms);
  try {
    await service.engine?.start();
    return await fill(service, clock, { start, end, target });
  } finally {
    target.pass = async () => {};
    await service.engine?.stop(0);
    await service.people.close();
    await service.sender.close();
    await store.close();
  }
}

async function fill(
  service: BelfryService,
  clock: FakeClock,
  { start, end, target }: { start: number; end: number; target: DemoTarget },
): Promise<string> {
  const { teamId, apiToken } = await makePeople(service);
  const addCron = cronMaker(service, teamId, target.url);
  const addJob = jobMaker(service, teamId, target.url);
  await makeQueues(service, teamId);
  await makeCrons(addCron, target.url);
  await makeQuietTimes(service, teamId, { start, end });
  await service.work.setChannel(teamId, { kind: 'slack', url: `${target.url}/chat/T0DEMO/8d41` });
  for (let at = start; at <= end; at += HALF_HOUR) {
    await clock.advanceTo(at);
    await makeJobs(addJob, at, target.url);
    if (at === end) await makeWaiting(addCron, addJob);
    await settle(service, { clock, target });
    const retries = at < end ? MAIL_RETRIES.length : 0;
    for (let retry = 0; retry < retries; retry++) {
      await clock.advance(RETRIES_DUE_MS);
      await settle(service, { clock, target });
    }
  }
  // Up to now, or the time since would count as one without an engine.
  await giveDepths(service, teamId, Math.floor(Date.now() / LOOK_EVERY_MS) * LOOK_EVERY_MS);
  await service.store.channels.record(teamId, DEFAULT_REF, { last_sent_at: end });
  await readOldAlerts(service, end - 2 * 24 * 3_600_000);
  return apiToken;
}

/** Waits of a millisecond, with and without a request that is never answered. */
const WAITS = { hanging: 150, working: 10_000 };

/** Waits until all due runs are settled. Only unanswered requests time out, on the fast clock. */
async function settle(
  { engine }: BelfryService,
  { clock, target }: { clock: FakeClock; target: DemoTarget },
): Promise<void> {
  for (let waits = 0; engine?.isQuiet() === false; waits++) {
    await delay(1);
    if (waits < (target.hanging() > 0 ? WAITS.hanging : WAITS.working)) continue;
    await clock.advance(6_000);
    waits = 0;
  }
}

async function makePeople({ people }: BelfryService) {
  const { email, password, team } = DEMO;
  const made = await people.operator.createUser({ name: 'Ada Bell', email, password, team });
  if (made.kind !== 'created') throw new Error(JSON.stringify(made));
  const colleagues = [
    { name: 'Grace Hill', email: 'grace@northwind.example', role: 'admin' },
    { name: 'Linus Frost', email: 'linus@northwind.example', role: 'member' },
  ] as const;
  for (const one of colleagues) await people.operator.createUser({ ...one, password, team });
  await people.operator.setPlan(made.teamId, 'team');
  const actor = { userId: made.userId, teamId: made.teamId, role: 'owner' } as const;
  await people.signing.generateSigningSecret(actor);
  const invited = { email: 'rosa@northwind.example', role: 'member' } as const;
  await people.teams.invite(actor, invited, { clientAddress: '127.0.0.1' });
  return made;
}

async function makeQueues({ work }: BelfryService, teamId: string): Promise<void> {
  const assertions = [{ kind: 'json_path_equals', path: 'width', expected: '320' }] as const;
  // Otherwise housekeeping deletes half of them when the demo starts.
  const deadLetterDays = DEMO_DAYS + 1;
  const mail = { retrySchedule: MAIL_RETRIES, emailAlerts: true };
  const thumbnails = {
    retrySchedule: [],
    retriesEnabled: false,
    assertions,
    concurrencyLimit: 4,
  };
  const reports = { timeoutSeconds: 5, retriesEnabled: false };
  for (const [name, settings] of Object.entries({ mail, thumbnails, reports }))
    await work.setQueue(teamId, name, { ...settings, deadLetterDays });
}

type AddCron = (
  name: string,
  path: string,
  cronExpression: string,
  more?: Partial<CronInput>,
) => Promise<unknown>;

const cronMaker =
  ({ work }: BelfryService, teamId: string, target: string): AddCron =>
  (name, path, cronExpression, more) =>
    work.createCron(teamId, {
      name,
      url: `${target}${path}`,
      cronExpression,
      method: 'POST',
      headers: [['Authorization', 'Bearer demo']],
      payload: '{"source":"belfry"}',
      callbackUrl: null,
      timeoutSeconds: 5,
      alertThreshold: 2,
      isActive: true,
      ...more,
    });

async function makeCrons(add: AddCron, target: string): Promise<void> {
  await add('Send invoices', '/invoices', '0 6 * * 1-5', { callbackUrl: `${target}/done` });
  await add('Nightly backup', '/backup', '30 2 * * *', { alertThreshold: 1 });
  await add('Refresh prices', '/prices', '0 */2 * * *');
  await add('Rebuild the search index', '/search-index', '0 4 * * *');
  await add('Old newsletter', '/mail', '0 9 * * 1', { isActive: false, alertThreshold: null });
}

type AddJob = (
  queue: string,
  path: string,
  payloadJson: string,
  more?: Partial<JobInput>,
) => Promise<unknown>;

const jobMaker =
  ({ work }: BelfryService, teamId: string, target: string): AddJob =>
  (queue, path, payloadJson, more) =>
    work.createJob(teamId, {
      queue,
      url: `${target}${path}`,
      method: 'POST',
      headers: [],
      payloadJson,
      callbackUrl: null,
      delaySeconds: 0,
      ...more,
    });

/** Of the half hour from `at` on. */
async function makeJobs(add: AddJob, at: number, target: string): Promise<void> {
  const n = Math.round(at / HALF_HOUR);
  if (n % 3 === 0) await add('mail', '/mail', `{"to":"customer-${n % 977}","template":"welcome"}`);
  if (n % 5 === 0) await add('thumbnails', '/thumbnails', `{"image":${n % 4211}}`);
  if (n % 71 === 0) await add('thumbnails', '/thumbnails/broken', `{"image":${n % 4211}}`);
  if (n % 83 === 0) {
    const callbackUrl = `${target}/done`;
    await add('mail', '/mail/unknown', `{"list":"former-customers"}`, { callbackUrl });
  }
  if (n % 131 === 0)
    await add('reports', '/slow', `{"month":"${new Date(at).toISOString().slice(0, 7)}"}`);
}

async function makeWaiting(addCron: AddCron, addJob: AddJob): Promise<void> {
  await addCron('Close the books', '/invoices', '0 0 1 * *', {
    headers: [],
    payload: null,
    timeoutSeconds: 30,
    alertThreshold: 1,
  });
  for (let m = 1; m <= 6; m++)
    await addJob('mail', '/mail', `{"to":"customer-${m}","template":"reminder"}`, {
      delaySeconds: m * 3000,
    });
  await addJob('mail', '/mail/unknown', '{"list":"prospects"}');
}

async function makeQuietTimes(
  { work }: BelfryService,
  teamId: string,
  { start, end }: { start: number; end: number },
): Promise<void> {
  const hour = 3_600_000;
  const day = 24 * hour;
  const [firstDay, lastDay] = [Math.floor(start / day), Math.floor(end / day)];
  // On the weekday of yesterday, so that some of the newest alerts are muted.
  const firstTime = firstDay - ((firstDay - lastDay + 1) % 7) - 7;
  const sources = await work.listAlertSources(teamId);
  const covering = (...names: string[]) =>
    sources.filter(({ name }) => names.includes(name)).map(({ kind, id }) => ({ kind, id }));
  const make = (name: string, startsAt: number, hours: number, more: Partial<WindowInput> = {}) => {
    const once = { name, startsAt, endsAt: startsAt + hours * hour, isWeekly: false };
    return work.createWindow(teamId, { ...once, covers: 'team', ...more });
  };
  await make('Database upgrade', firstTime * day + 14 * hour, 8, {
    isWeekly: true,
    covers: covering('Refresh prices', 'Rebuild the search index', 'mail'),
  });
  await make('New image library', end, 12, { covers: covering('thumbnails') });
  await make('Move to the new data centre', (lastDay + 3) * day + 20 * hour, 6);
}

/** On the simulated clock no job waits. */
async function giveDepths({ store }: BelfryService, teamId: string, end: number): Promise<void> {
  const queues = await store.queues.list(teamId);
  const ids = queues.filter(({ name }) => name !== 'reports').map(({ id }) => id);
  const week = Array.from({ length: 7 * 288 }, (_, n) => end - n * LOOK_EVERY_MS);
  const depthAt = (at: number, n: number) => {
    const noon = Math.max(0, Math.sin((2 * Math.PI * (at / HALF_HOUR - 12)) / 48));
    const waiting = Math.round(noon ** 4 * (40 + ((at / LOOK_EVERY_MS) % 7) * 4) * (2 - n));
    return { waiting, oldest_ms: waiting * 900 };
  };
  const rows = week.flatMap((at) =>
    [...ids, teamId].map((source_id, n) =>
      Object.assign(depthAt(at, n % 2), { team_id: teamId, source_id, at }),
    ),
  );
  await store.database.transact(async (trx) => {
    await remove(trx, 'queue_depths', {});
    await remove(trx, 'depth_looks', {});
    await add(
      trx,
      'depth_looks',
      week.map((at) => ({ at })),
    );
    await add(
      trx,
      'queue_depths',
      rows.filter(({ waiting }) => waiting > 0),
    );
  });
}

/** Otherwise the service would send all of them at its start. */
async function readOldAlerts({ store }: BelfryService, before: number): Promise<void> {
  await store.database.transact(async (trx) => {
    await remove(trx, 'notifications', {});
    await change(trx, 'alerts', { delivery: 'pending' }, { delivery: 'sent' });
    await change(trx, 'alerts', { raised_at: below(before) }, { is_read: 1 });
  });
}
