import { setTimeout as delay } from 'node:timers/promises';
import { silentLog } from '#domain/base/log';
import { Engine } from '#engine/engine';
import { createSender } from '#outgoing/exchange';
import type { ExecutionDetail } from '#store/crons/crons';
import type { JobRecord } from '#store/jobs/job-records';
import type { Store } from '#store/store';
import type { QueueChange } from '#work/resources/queue';
import type { Queue } from '#work/queues';
import { eventually } from './process.ts';
import type { AnswerFunction, ReceivedRequest, Receiver } from './receiver.ts';
import type { TestService } from './service.ts';
import { type MonthlyLimits, NO_LIMITS } from '#store/figures/usage';

/** Steps that tests of the schedule share: posting as a client, changing settings as a person, reading the store. */

const LOOPBACK = { base: '127.0.0.0', prefix: 8 };

export const SECOND = 1_000;
export const MINUTE = 60_000;

interface CreatedJob {
  success: boolean;
  queue_id: string;
  job_id: string;
  scheduled_at: string;
  message: string;
}

interface CreatedCron {
  id: string;
  name: string;
  cron_expression: string;
  next_run_at: string | null;
  is_active: boolean;
}

/** The default queue is `emails`. */
export async function scheduleJob(
  service: TestService,
  body: Record<string, unknown>,
): Promise<CreatedJob> {
  return create<CreatedJob>(service, '/api/jobs', { queue: 'emails', ...body });
}

/** The default schedule is every minute. */
export async function scheduleCron(
  service: TestService,
  body: Record<string, unknown>,
): Promise<CreatedCron> {
  const usual = { name: 'Report', cron_expression: '* * * * *' };
  return create<CreatedCron>(service, '/api/crons', { ...usual, ...body });
}

async function create<Created>(service: TestService, path: string, body: object): Promise<Created> {
  const { status, text, json } = await service.post(path, body);
  if (status !== 201) throw new Error(`${path} answered ${status}: ${text}`);
  return json as Created;
}

export async function setQueue(
  service: TestService,
  change: QueueChange,
  name = 'emails',
): Promise<Queue> {
  return service.work.setQueue(service.teamId, name, change);
}

export async function attemptsOf(service: TestService, jobId: string): Promise<JobRecord[]> {
  return service.work.listAttempts(service.teamId, jobId);
}

export async function statusesOf(service: TestService, jobId: string) {
  return (await attemptsOf(service, jobId)).map(({ status }) => status);
}

export async function executionsOf(
  service: TestService,
  cronId: string,
): Promise<ExecutionDetail[]> {
  return (await service.work.listExecutions(service.teamId, cronId, 100)).toReversed();
}

export function requestsTo(receiver: Receiver, path: string): ReceivedRequest[] {
  return receiver.requests.filter(({ url }) => url === path);
}

export interface Gate {
  opened: Promise<void>;
  open: () => void;
}

/** Holds a target's answer back until a test opens it: `{ after: gate.opened }`. */
export function makeGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/**
 * The answers of a target that expects `size` simultaneous requests: it holds requests until so many are under way, and
 * then answers them together. If fewer are sent at once, none is answered. `most` is the largest number that was under
 * way.
 */
export function answerInRounds(size: number): { answer: AnswerFunction; most: () => number } {
  let underWay = 0;
  let most = 0;
  let round = makeGate();
  return {
    most: () => most,
    answer: async () => {
      most = Math.max(most, ++underWay);
      const { opened, open } = round;
      if (underWay === size) {
        // A short pause, so that other started requests arrive meanwhile.
        await delay(5);
        round = makeGate();
        open();
      }
      await opened;
      underWay--;
      return {};
    },
  };
}

interface ExtraEngine extends AsyncDisposable {
  engine: Engine;
  quiet(): Promise<void>;
}

/** On the same Postgres and the same clock. */
export async function startSecondEngine(
  service: TestService,
  limits?: MonthlyLimits,
): Promise<ExtraEngine> {
  const store = await service.store.openAnother({ serving: true });
  return startEngineOn(service, store, limits);
}

/** The engine of a service whose first one has been stopped, as after a restart. */
export async function restartEngine(service: TestService): Promise<ExtraEngine> {
  return startEngineOn(service, service.store);
}

async function startEngineOn(
  { clock }: TestService,
  store: Store,
  limits = NO_LIMITS,
): Promise<ExtraEngine> {
  const sender = createSender({ clock, allowedNetworks: [LOOPBACK], dnsServers: [] });
  const engine = new Engine({
    store,
    sender,
    log: silentLog,
    observer: {},
    maxConcurrentRequests: 256,
    responseKeepBytes: 65_535,
    leaseMs: 365 * 24 * 3600 * SECOND,
    limits,
  });
  await engine.start();
  const quiet = () => eventually(() => engine.isQuiet(), { what: 'the other engine to be quiet' });
  return {
    engine,
    quiet: async () => void (await quiet()),
    [Symbol.asyncDispose]: async () => {
      const stopped = engine.stop(0);
      await clock.advance(1);
      await stopped;
      await sender.close();
    },
  };
}
