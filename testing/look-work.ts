/** Made-up crons, queues and jobs for the pictures of their pages. */
import type { Services } from '../src/dashboard/services.ts';
import type {
  CronRow,
  ExecutionRow,
  JobRow,
  JobRunDetail,
  QueueRow,
  RunDetail,
  RunResult,
} from '../src/dashboard/services.ts';

type Work = Services['work'];

const minute = 60_000;
const hour = 60 * minute;
const targets = [
  'https://billing.example.com/internal/invoices/close-month?tenant=northwind&dry=0',
  'https://hooks.example.org/v2/reindex',
  'https://api.example.net/customers/88213/sync/full?since=2026-11-20T00:00:00Z&include=orders,returns',
] as const;
const targetAt = (at: number) => targets[at % 3] ?? targets[0];
const idAt = (at: number) => `019ab13e-7c1f-7a52-b5d4-88f0c2ee${String(9000 + at)}`;
const exact = (count: number) => ({ count, isMore: false });

function makeStrip(seed: number, now: number): RunResult[] {
  return Array.from({ length: 36 + ((seed * 7) % 14) }, (_, at) => {
    const isFailed = (at * (seed + 3)) % 17 === 0;
    return {
      id: idAt(seed * 100 + at),
      status: isFailed ? 'failed' : 'success',
      completedAt: now - (50 - at) * 5 * minute,
      durationMs: 90 + ((at * 131 * (seed + 1)) % 900),
      responseStatus: isFailed ? 503 : 200,
    };
  });
}

const cronNames = ['Close the month', 'Reindex the catalogue', 'Sync customers', 'Warm the cache'];
const expressions = ['0 6 * * MON-FRI', '*/5 * * * *', '30 2 1,15 * *', '@hourly'];

function makeCron(at: number, now: number): CronRow {
  const strip = makeStrip(at, now);
  const last = strip.at(-1);
  const lastRun: RunResult | null =
    at === 1 && last ? { ...last, status: 'failed', responseStatus: 503 } : (last ?? null);
  return {
    cron: {
      teamId: 't1',
      id: idAt(at),
      name: cronNames[at] ?? 'Nightly report',
      url: targetAt(at),
      method: 'POST',
      callbackUrl: at === 1 ? 'https://hooks.example.org/belfry' : null,
      cronExpression: expressions[at] ?? '@daily',
      timeoutSeconds: 30,
      alertThreshold: at === 1 ? 2 : null,
      assertions: at === 1 ? [{ kind: 'json_path_equals', path: 'data.ok', expected: 'true' }] : [],
      isActive: at !== 3,
      nextRunAt: at === 3 ? null : now + at * hour + 42_000,
      unreadable: null,
      createdAt: now - 40 * 24 * hour,
    },
    strip,
    successRate: 0.984 - at * 0.02,
    lastRun,
  };
}

function makeExecution(at: number, now: number): ExecutionRow {
  const isFailed = at % 6 === 1;
  const ended = now - at * 5 * minute;
  return {
    teamId: 't1',
    id: idAt(500 + at),
    cronId: idAt(1),
    scheduledFor: at % 9 === 4 ? null : ended - 800,
    status: isFailed ? 'failed' : 'success',
    createdAt: ended - 900,
    startedAt: ended - 800,
    completedAt: ended,
    responseStatus: isFailed ? 503 : 200,
    reason: isFailed ? 'http_server_error' : null,
    errorMessage: null,
    durationMs: 120 + ((at * 77) % 600),
    bodyStart: isFailed ? '<h1>Bad gateway</h1>' : '{"data":{"ok":true,"indexed":18230}}',
    hasMore: false,
    totalBytes: 36,
  };
}

const states: [JobRow['status'], number][] = [
  ['processing', 1],
  ['pending', 1],
  ['pending', 2],
  ['success', 1],
  ['dead_lettered', 4],
  ['retried', 1],
  ['success', 2],
  ['dead_lettered', 4],
  ['failed', 1],
];

function makeJob(at: number, now: number): JobRow {
  const [status, attemptNumber] = states[at % states.length] ?? ['success', 1];
  const isOver = status !== 'pending' && status !== 'processing';
  const isGood = status === 'success';
  const time = now - at * 61_000;
  return {
    at: time,
    teamId: 't1',
    id: idAt(700 + at),
    originalId: idAt(700 + at),
    attemptNumber,
    queueId: idAt(at % 2),
    queue: at % 2 ? 'mail' : 'billing',
    status,
    method: 'POST',
    url: targetAt(at),
    callbackUrl: null,
    createdAt: time - minute,
    scheduledAt: status === 'pending' ? now + at * minute : time,
    startedAt: status === 'pending' ? null : time,
    completedAt: isOver ? time + 400 : null,
    responseStatus: !isOver || status === 'failed' ? null : isGood ? 200 : 503,
    reason: !isOver || isGood ? null : status === 'failed' ? 'limit_exceeded' : 'http_server_error',
    errorMessage: isOver && !isGood ? 'HTTP 503 error' : null,
    durationMs: isOver ? 40 + at * at * 31 : null,
    retriedAs: at === 7 ? idAt(799) : null,
  };
}

function makeQueue(at: number, now: number): QueueRow {
  const health = (['active', 'backlogged', 'paused', 'idle', 'at its limit'] as const)[at % 5];
  return {
    queue: {
      teamId: 't1',
      id: idAt(at),
      name: ['billing', 'mail', 'imports', 'reports', 'webhooks'][at] ?? 'default',
      timeoutSeconds: 30,
      retrySchedule: [60, 1800, 10_800],
      retriesEnabled: true,
      concurrencyLimit: at === 4 ? 5 : null,
      assertions: [],
      emailAlerts: at === 0,
      deadLetterDays: 14,
      isPaused: at === 2,
      createdAt: now - 30 * 24 * hour,
    },
    waiting: { count: [12, 10_000, 40, 0, 3][at] ?? 0, isMore: at === 1 },
    running: at === 4 ? 5 : at === 0 ? 2 : 0,
    oldestDueAt: at === 1 ? now - 4 * minute : null,
    nextDueAt: at === 3 ? null : now + at * minute,
    strip: [],
    failed: exact(at === 1 ? 41 : 0),
    failedSince: now - (now % 86_400_000),
    health: health ?? 'idle',
  };
}

function makeRun(isFailed: boolean): RunDetail {
  return {
    request: {
      method: 'POST',
      url: targets[2],
      headers: [
        { name: 'host', value: 'api.example.net', isSecret: false },
        { name: 'connection', value: 'keep-alive', isSecret: false },
        { name: 'Content-Type', value: 'application/json', isSecret: false },
        { name: 'User-Agent', value: 'undici', isSecret: false },
        { name: 'Authorization', value: null, isSecret: true },
        { name: 'X-Service-Signature', value: null, isSecret: true },
        { name: 'X-Service-Timestamp', value: '1763715907', isSecret: false },
        { name: 'content-length', value: '65', isSecret: false },
      ],
      isPayloadKnown: true,
      bodyText: '{"month":"2026-11","tenants":["northwind","contoso"],"dry":false}',
      bodyBytes: 65,
      isBodyCut: false,
      signedText: '1763715907.{"month":"2026-11","tenants":["northwind","contoso"],"dry":false}',
    },
    response: {
      status: isFailed ? 301 : 200,
      headers: [
        ['Content-Type', 'application/json'],
        ['Location', 'https://api.example.net/v2/customers'],
      ],
      bodyStart: '{"data":{"ok":false,"id":9007199254740993},"items":[{"sku":"A-1"}],"next":null}',
      hasMore: true,
      totalBytes: 81_000,
      keptBytes: 65_535,
    },
    timing: { dnsMs: 12, connectMs: 18, tlsMs: 41, waitingMs: 230, receivingMs: 9 },
    address: '203.0.113.7',
    assertions: [
      {
        assertion: { kind: 'json_path_equals', path: 'data.ok', expected: 'true' },
        ok: isFailed ? null : true,
        expected: 'true',
        got: isFailed ? '' : 'true',
      },
    ],
    callback: { url: 'https://hooks.example.org/belfry?ref=88213', state: 'sent' },
    explanation: isFailed
      ? {
          title: 'The target redirects: HTTP 301',
          text: 'Redirects are never followed. It points to https://api.example.net/v2/customers.',
          nextStep: 'Use the address where the resource is now.',
          useUrl: 'https://api.example.net/v2/customers',
        }
      : null,
    curl: 'curl …',
    apiCall: 'curl …',
  };
}

function makeJobDetail(now: number): JobRunDetail {
  const last = makeJob(4, now);
  const attempts = [3, 2, 1].map((ago, at) =>
    Object.assign(makeJob(4, now), {
      id: idAt(800 + at),
      attemptNumber: at + 1,
      status: 'retried' as const,
      scheduledAt: now - ago * 1.4 * hour,
      startedAt: now - ago * 1.4 * hour,
      completedAt: now - ago * 1.4 * hour + 812,
      durationMs: 812,
    }),
  );
  return {
    ...makeRun(true),
    kind: 'job',
    job: last,
    attempts: [...attempts, last],
    retryOf: null,
    again: {
      queue: 'billing',
      url: targets[0],
      method: 'POST',
      headers: [{ name: 'Authorization', value: null, isSecret: true }],
      payload: '{"month": "2026-11"}',
      callbackUrl: '',
    },
  };
}

const steps = (count: number, stepMs: number, now: number) =>
  Array.from({ length: count }, (_, at) => {
    const from = now - (count - at) * stepMs;
    return { from, to: from + stepMs, at };
  });

const now = Date.now();
const crons = cronNames.map((_, at) => makeCron(at, now));
const queues = Array.from({ length: 5 }, (_, at) => makeQueue(at, now));
const jobs = Array.from({ length: 18 }, (_, at) => makeJob(at, now));
const executions = Array.from({ length: 20 }, (_, at) => makeExecution(at, now));
const end = { next: null, previous: null };
const cron = crons[1] ?? makeCron(1, now);

function makeCronPages(): Partial<Work> {
  return {
    listCronRows: async () => ({ crons, ...end }),
    readCronRow: async () => cron,
    findCron: async () => ({
      ...cron.cron,
      headers: [
        ['Authorization', 'Bearer x'],
        ['X-Trace', 'on'],
      ],
      payload: '{"full": true}',
    }),
    listCronHistory: async () => ({ executions, next: 'x', previous: null }),
    readDurations: async () => ({
      steps: steps(24, hour, now).map(({ from, to, at }) => ({
        from,
        to,
        runs: 12,
        failed: at % 7 === 0 ? 1 : 0,
        medianMs: at === 9 ? null : 120 + ((at * 37) % 80),
        p95Ms: at === 9 ? null : 600 + ((at * 211) % 900),
      })),
      sampledBackTo: null,
    }),
    describeCronDeletion: async () => ({
      waiting: exact(0),
      running: 0,
      finished: { count: 10_000, isMore: true },
    }),
  };
}

function makeQueuePages(): Partial<Work> {
  return {
    listQueueRows: async () => queues,
    listQueues: async () => queues.map(({ queue }) => queue),
    findQueue: async () => queues[0]?.queue ?? null,
    readQueueRow: async () => queues[4] ?? null,
    describeQueueDeletion: async () => ({ waiting: exact(3), running: 5, finished: exact(2310) }),
    listOfferedQueues: async () =>
      queues
        .filter(({ queue }) => !queue.isPaused)
        .map(({ queue: { id, name } }) => ({ id, name })),
  };
}

function makeJobPages(): Partial<Work> {
  return {
    countTabs: async () => ({
      all: { count: 10_000, isMore: true },
      pending: exact(12),
      processing: exact(3),
      retrying: exact(2),
      completed: exact(9871),
      failed: exact(41),
      resent: exact(9),
    }),
    countJobs: async () => exact(41),
    searchJobs: async (_team, { tab }) => ({
      jobs: tab === 'failed' ? jobs.filter(({ status }) => status === 'dead_lettered') : jobs,
      next: 'x',
      previous: null,
      searchedBackTo: null,
    }),
    listBulkTasks: async () => [
      {
        id: 'b1',
        kind: 'retry',
        search: { tab: 'failed' },
        state: 'running',
        total: exact(9871),
        done: 4210,
        skipped: 3,
        createdAt: now - minute,
        finishedAt: null,
      },
    ],
    readJobDetail: async () => makeJobDetail(now),
    readExecutionDetail: async () => ({
      ...makeRun(false),
      kind: 'execution',
      execution: executions[0] ?? makeExecution(0, now),
      cron: { id: idAt(1), name: 'Reindex the catalogue', cronExpression: '*/5 * * * *' },
    }),
    groupFailures: async () => ({
      groups: [0, 1, 2].map((at) => ({
        reason: (['http_server_error', 'timeout', 'unknown'] as const)[at] ?? 'unknown',
        target: targetAt(at).split('?')[0] ?? '',
        statusCode: [503, null, 301][at] ?? null,
        count: [9871, 41, 1][at] ?? 1,
        firstSeenAt: now - 50 * hour,
        lastSeenAt: now - at * hour - 90_000,
        series: Array.from({ length: 24 }, (_, step) => (step * (at + 5)) % 11),
        search: { tab: 'failed' },
      })),
      from: now - 168 * hour,
      to: now,
      countedBackTo: null,
    }),
  };
}

function makeOverview(): Partial<Work> {
  return {
    readOverview: async () => ({
      failingCrons: executions[1]
        ? [{ cronId: idAt(1), name: 'Reindex the catalogue', lastRun: executions[1] }]
        : [],
      troubledQueues: queues.slice(1, 2),
      nextUp: [
        { kind: 'cron', cronId: idAt(1), name: 'Reindex the catalogue', at: now + 42_000 },
        ...jobs
          .filter(({ status }) => status === 'pending')
          .map((job) => ({ kind: 'job' as const, job, at: job.scheduledAt })),
      ],
      justHappened: [
        ...jobs
          .filter(({ completedAt }) => completedAt !== null)
          .slice(0, 5)
          .map((job) => ({ kind: 'job' as const, job, at: job.at })),
        ...executions.slice(0, 2).map((execution) => ({
          kind: 'execution' as const,
          execution,
          cronName: 'Reindex the catalogue',
          at: execution.createdAt,
        })),
      ],
      lastDay: steps(24, hour, now).map(({ from, to, at }) => ({
        from,
        to,
        success: 400 + ((at * 97) % 260),
        retried: (at * 13) % 40,
        failed: at % 5 === 0 ? 12 : 0,
      })),
      lastMonth: steps(30, 24 * hour, now).map(({ from, to, at }) => ({
        from,
        to,
        success: 9000 + ((at * 971) % 2600),
        retried: (at * 130) % 400,
        failed: at % 9 === 0 ? 320 : 4,
      })),
    }),
  };
}

/** Reads only: the pictures press no buttons. */
export function makeLookWork(): Partial<Work> {
  return { ...makeCronPages(), ...makeQueuePages(), ...makeJobPages(), ...makeOverview() };
}
