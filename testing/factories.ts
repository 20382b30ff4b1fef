import assert from 'node:assert/strict';
import { NO_END } from '#domain/cron/cron-end';
import { newId } from '#domain/base/ids';
import { HOUR_MS } from '#domain/base/instant';
import type { AlertSource, MaintenanceWindow } from '#domain/team/maintenance';
import { DEFAULT_REF, NO_ALERT_SETTINGS } from '#domain/alerts/alert-settings';
import type { ChannelConfig } from '#domain/alerts/notification-channel';
import type { CallbackToSend } from '#store/callbacks/callbacks';
import type { AcceptedJob, NewJob } from '#store/jobs/accept-jobs';
import type { Claim, Claimant, ClaimedExecution, ClaimedJob } from '#store/runs/claims';
import type { Cron, CronSettings } from '#store/crons/crons';
import type { QueueSettings } from '#domain/team/queue-settings';
import type { Queue } from '#store/queues/queues';
import type { ExecutionSettlement, JobSettlement, RunEnd } from '#store/runs/settlement';
import type { AlertFilter, StoredAlert } from '#store/alerts/alerts';
import type { Store } from '#store/store';
import type { Registered, Registration } from '#store/people/registration';
import type { Team } from '#store/people/teams';
import type { TestStore } from './stores.ts';

export const LEASE_MS = 30_000;
const TARGET_URL = 'http://target.example/hook';

/** A job as people and clients create it, without its URL. */
export const A_JOB = {
  queue: 'mail',
  method: 'POST',
  headers: [],
  payloadJson: null,
  callbackUrl: null,
  delaySeconds: 0,
} as const;

/** Due on 29 February. */
export const A_CRON = {
  cronExpression: '0 0 29 2 *',
  method: 'POST',
  headers: [],
  payload: null,
  callbackUrl: null,
  timeoutSeconds: 20,
  alertThreshold: null,
  isActive: true,
} as const;

export async function aTeam(
  store: Store,
  { name = 'Northwind', plan = 'free' }: { name?: string; plan?: string } = {},
): Promise<Team> {
  return store.teams.create(name, plan, store.clock.now());
}

/** With a password; in the team Bells, which the first one owns. */
export function registerUser(
  store: Store,
  email: string,
  changes: Partial<Registration> = {},
): Promise<Registered> {
  const name = email.split('@')[0] ?? '';
  const account = { email, name, passwordHash: 'scrypt$…', isEmailVerified: true };
  const team = { kind: 'named', name: 'Bells', plan: 'free', role: null } as const;
  const registration = { account, team, token: null, isFirst: false, ...changes };
  return store.registrations.register(registration, store.clock.now());
}

export async function aUser(...registration: Parameters<typeof registerUser>) {
  const made = await registerUser(...registration);
  assert.ok(made.kind === 'registered', made.kind);
  return made;
}

export async function aQueue(
  store: Store,
  teamId: string,
  { name = 'emails', ...settings }: Partial<QueueSettings> & { name?: string } = {},
): Promise<Queue> {
  return store.queues.save(teamId, name, settings, store.clock.now());
}

/** Active from now, for an hour. */
export async function aPausingWindow(
  store: Store,
  teamId: string,
  covers: readonly AlertSource[],
): Promise<MaintenanceWindow> {
  const now = store.clock.now();
  const times = { startsAt: now, endsAt: now + HOUR_MS, isWeekly: false };
  const settings = { name: 'Upgrade', ...times, pausesRuns: true, covers };
  const window = await store.windows.create(teamId, settings, now);
  assert.ok(window);
  return window;
}

export function aNewJob(teamId: string, job: Partial<NewJob> = {}): NewJob {
  return {
    teamId,
    queue: 'emails',
    method: 'POST',
    url: TARGET_URL,
    headers: [],
    payload: null,
    callbackUrl: null,
    delaySeconds: 0,
    actor: null,
    ...job,
  };
}

/** At the store's present time, due at once unless `delaySeconds` says otherwise. */
export async function aJob(
  store: Store,
  teamId: string,
  job: Partial<NewJob> = {},
): Promise<AcceptedJob> {
  return store.jobs.accept(aNewJob(teamId, job));
}

/** @param nextRunAt  an hour from now unless given; null makes the cron paused */
export async function aCron(
  store: Store,
  teamId: string,
  { nextRunAt, ...settings }: Partial<CronSettings> & { nextRunAt?: number | null } = {},
): Promise<Cron> {
  const now = store.clock.now();
  const usual: CronSettings = {
    name: 'Nightly report',
    url: TARGET_URL,
    method: 'POST',
    headers: [],
    payload: null,
    callbackUrl: null,
    cronExpression: '0 * * * *',
    timeoutSeconds: 30,
    alertThreshold: null,
    assertions: [],
    alertSettings: NO_ALERT_SETTINGS,
    stopAfter: null,
    keepsResponseBody: true,
    startsAt: null,
    end: NO_END,
    tags: [],
  };
  const firstAt = nextRunAt === undefined ? now + 3_600_000 : nextRunAt;
  return store.crons.create(teamId, { ...usual, ...settings }, firstAt, now);
}

export function editCron(store: Store, cron: Cron, change: Partial<CronSettings>) {
  const unpaused = { pause: {}, now: store.clock.now() };
  return store.crons.update(cron.teamId, cron.id, { ...cron, ...change }, unpaused);
}

/** With a lease of half a minute from the store's present time. */
export async function aNode(store: Store, leaseMs = LEASE_MS): Promise<string> {
  return store.nodes.join(store.clock.now(), leaseMs);
}

/** @param monthlyLimit  the same for every plan; null for none */
export function aClaimant(
  store: Store,
  nodeId: string,
  monthlyLimit: number | null = null,
): Claimant {
  return { nodeId, now: store.clock.now(), limits: { byPlan: new Map(), other: monthlyLimit } };
}

/**
 * Declares one or all nodes dead, as another node does after a whole lease without renewal; on SQLite a starting
 * process does so.
 * @returns the other node
 */
export async function declareDead(store: Store, nodeId?: string): Promise<string> {
  const heir = await aNode(store);
  const others = await store.nodes.readOthers(heir);
  const dead = others.filter(({ id }) => nodeId === undefined || id === nodeId);
  await store.nodes.recoverDead(heir, store.clock.now(), dead);
  return heir;
}

interface Asking {
  queueIds: readonly string[];
  slots?: number;
  monthlyLimit?: number | null;
}

/** Up to `slots` from each. */
export async function claimJobs(
  store: Store,
  nodeId: string,
  { queueIds, slots = 100, monthlyLimit = null }: Asking,
): Promise<Claim<ClaimedJob>> {
  const asked = queueIds.map((id) => ({ id, slots }));
  return store.runs.claimJobs(asked, aClaimant(store, nodeId, monthlyLimit));
}

/** Accepted, due and claimed by the node. */
export async function aClaimedJob(
  store: Store,
  teamId: string,
  nodeId: string,
  job: Partial<NewJob> = {},
  monthlyLimit: number | null = null,
): Promise<ClaimedJob> {
  const { queueId, jobId } = await aJob(store, teamId, job);
  const { claimed } = await claimJobs(store, nodeId, { queueIds: [queueId], monthlyLimit });
  const ours = claimed.find(({ id }) => id === jobId);
  if (!ours) throw new Error('the job was not claimed');
  return ours;
}

function aRunEnd(store: Store, end: Partial<RunEnd> = {}): RunEnd {
  return {
    completedAt: store.clock.now(),
    responseStatus: 200,
    reason: null,
    errorMessage: null,
    durationMs: 12,
    ...end,
  };
}

export function aSettlement(
  store: Store,
  job: ClaimedJob,
  { end, ...rest }: Partial<Omit<JobSettlement, 'end'>> & { end?: Partial<RunEnd> } = {},
): JobSettlement {
  const nothing = { response: null, next: null, callback: null, alert: null };
  const usual = { run: job, status: 'success', ...nothing } as const;
  return { ...usual, ...rest, end: aRunEnd(store, end) };
}

export function aCallback({ clock }: Store, { teamId, id }: ClaimedJob): CallbackToSend {
  const now = clock.now();
  const request = { url: 'http://caller.example/done', body: '{}' };
  return { teamId, id: newId(now), runId: id, createdAt: now, ...request };
}

/** The callback of a job that has ended. @returns its id */
export async function aWaitingCallback(
  store: Store,
  teamId: string,
  nodeId: string,
): Promise<string> {
  const job = await aClaimedJob(store, teamId, nodeId);
  const callback = aCallback(store, job);
  await store.runs.settle(nodeId, aSettlement(store, job, { callback }));
  return callback.id;
}

export function anExecutionSettlement(
  store: Store,
  execution: ClaimedExecution,
  { end, ...rest }: Partial<Omit<ExecutionSettlement, 'end'>> & { end?: Partial<RunEnd> } = {},
): ExecutionSettlement {
  const nothing = { response: null, next: null, callback: null, alert: null };
  const usual = { run: execution, status: 'success', ...nothing } as const;
  return { ...usual, ...rest, end: aRunEnd(store, end) };
}

/** A failed run, for `anExecutionSettlement`. */
export const FAILED = {
  status: 'failed',
  end: { responseStatus: 500, reason: 'http_server_error' },
} as const;

type OfCron = Pick<Cron, 'teamId' | 'id'>;

/** Starts runs of a cron by Run now, and claims them. */
export async function startRuns(
  store: Store,
  nodeId: string,
  { teamId, id }: OfCron,
  count = 1,
): Promise<ClaimedExecution[]> {
  for (let n = 0; n < count; n++) await store.crons.addExecution(teamId, id, store.clock.now());
  const asked = [{ id: teamId, slots: count }];
  const { claimed } = await store.runs.claimExecutions(asked, aClaimant(store, nodeId));
  if (claimed.length !== count) throw new Error(`${claimed.length} runs were claimed`);
  return claimed;
}

/** A Run now of a cron, which ends as given. */
export async function runCron(
  store: Store,
  nodeId: string,
  cron: OfCron,
  ending: Parameters<typeof anExecutionSettlement>[2] = {},
): Promise<void> {
  for (const run of await startRuns(store, nodeId, cron)) {
    const isSettled = await store.runs.settle(nodeId, anExecutionSettlement(store, run, ending));
    if (!isSettled) throw new Error('the claim was gone');
  }
}

/** Ends eight runs of a cron on each of two nodes at the same time. */
export async function settleAtOnce(
  store: TestStore,
  cron: OfCron,
  ending: Parameters<typeof anExecutionSettlement>[2],
): Promise<void> {
  // A file of SQLite has one process that claims and settles.
  const other = store.dialect === 'postgres' ? await store.openAnother() : store;
  const settlements = [];
  for (const on of [store, other]) {
    const node = await aNode(on, 1e10);
    const runs = await startRuns(on, node, cron, 8);
    const ends = runs.map((run) => anExecutionSettlement(store, run, ending));
    settlements.push(...ends.map((end) => () => on.runs.settle(node, end)));
  }
  await Promise.all(settlements.map((settle) => settle()));
}

export async function aDeadLetter(
  store: Store,
  teamId: string,
  nodeId: string,
  job: Partial<NewJob> = {},
): Promise<ClaimedJob> {
  const claimed = await aClaimedJob(store, teamId, nodeId, job);
  const settlement = aSettlement(store, claimed, {
    status: 'dead_lettered',
    end: { responseStatus: 503, reason: 'http_server_error', errorMessage: 'HTTP 503 error' },
    response: { body: Buffer.from('no'), totalBytes: 2, trace: '{}' },
  });
  if (!(await store.runs.settle(nodeId, settlement))) throw new Error('the claim was gone');
  return claimed;
}

export function setDefaultChannel({ channels }: Store, teamId: string, config: ChannelConfig) {
  return channels.change(teamId, DEFAULT_REF, { name: null, config, collectMinutes: null });
}

export async function readDefaultChannel({ channels }: Store, teamId: string) {
  const found = await channels.find(teamId, DEFAULT_REF);
  assert.ok(found);
  return found;
}

/** Oldest first, as `level kind: message`. */
export async function alertTexts(store: Store, teamId: string): Promise<string[]> {
  const alerts = await runAlerts(store, teamId, { limit: 100 });
  return alerts
    .map(({ level, kind, errorMessage }) => `${level} ${kind}: ${errorMessage}`)
    .toReversed();
}

export async function runAlerts(
  store: Store,
  teamId: string,
  filter: AlertFilter,
): Promise<StoredAlert[]> {
  const alerts = await store.alerts.list(teamId, filter);
  return alerts.filter((alert) => alert.level !== 'usage');
}
