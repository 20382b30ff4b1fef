import { evaluateAnswer, judgeExchange } from '#domain/judging/judge';
import { needsOf } from '#domain/judging/assertions';
import { type Exchange, QUERY_TOO_LONG, type Sender } from '#domain/http/exchange';
import { type Payload, readCronPayload } from '#domain/http/payload';
import { buildRequest } from '#domain/http/request';
import { readTrace, writeTrace } from '#domain/runs/run-trace';
import { addSignature, makeSignature, type Signature, signatureOf } from '#domain/http/signature';
import { DEFAULT_QUEUE_SETTINGS, type QueueSettings } from '#domain/team/queue-settings';
import type { Store } from '#store/store';
import { type Masking, showRun, withMasks } from './run-detail.ts';
import { writeCronCall, writeJobCall } from './resources/api-call.ts';
import type { CronInput } from './resources/cron.ts';
import type { JobInput } from './resources/job.ts';

export interface TestRunOptions {
  store: Store;
  sender: Sender;
  /** Null for none. */
  monthlyLimitOf: (plan: string) => number | null;
}

type Rules = Pick<QueueSettings, 'timeoutSeconds' | 'assertions'>;

type TestDraft = Pick<CronInput, 'method' | 'url' | 'headers'> & {
  /** The form did not show their values; neither does the answer. */
  masked?: readonly string[];
} & (
    | ({ kind: 'cron' } & Pick<CronInput, 'payload'> & Rules)
    /** The timeout and assertions of its queue apply; the defaults if it doesn't exist yet. */
    | ({ kind: 'job' } & Pick<JobInput, 'payloadJson' | 'queue'>)
    | ({ kind: 'queue' } & Rules)
  );

export type TestRunOutcome = TestRunDetail | { kind: 'limit-reached' } | { kind: 'busy' };

/**
 * The same network checks apply. It counts towards the quota; nothing is stored, and no retry, callback or alert
 * follows.
 */
export type TestRun = (teamId: string, draft: TestDraft) => Promise<TestRunOutcome>;

/** Each may keep a page waiting for minutes. */
const MOST_AT_ONCE = 4;
/** Queues must keep their connections. */
const MOST_IN_ALL = 32;

export function createTestRun(options: TestRunOptions): TestRun {
  const underWay = new Map<string, number>();
  return async (teamId, draft) => {
    const mine = underWay.get(teamId) ?? 0;
    const all = [...underWay.values()].reduce((sum, count) => sum + count, 0);
    if (mine >= MOST_AT_ONCE || all >= MOST_IN_ALL) return { kind: 'busy' };
    underWay.set(teamId, mine + 1);
    try {
      return await runTest(options, teamId, draft);
    } finally {
      const left = (underWay.get(teamId) ?? 1) - 1;
      if (left === 0) underWay.delete(teamId);
      else underWay.set(teamId, left);
    }
  };
}

async function runTest(
  { store, sender, monthlyLimitOf }: TestRunOptions,
  teamId: string,
  draft: TestDraft,
): Promise<TestRunOutcome> {
  const { clock, teams, usage } = store;
  const startedAt = clock.now();
  const run = readDraft(draft);
  const rules = await readRules(store, teamId, draft);
  const request = buildRequest(run.sent);
  if (request === 'query-too-long') return showTest(run, rules, QUERY_TOO_LONG, startedAt, null);
  const limit = monthlyLimitOf((await teams.find(teamId))?.plan ?? '');
  const secret = (await teams.readSigningSecret(teamId))?.secret ?? null;
  if (!(await usage.countOne(teamId, limit, startedAt))) return { kind: 'limit-reached' };
  const signature = makeSignature(secret, clock.now(), request.body);
  const exchange = await sender.send(addSignature(request, signature), {
    timeoutSeconds: rules.timeoutSeconds,
    needs: needsOf(rules.assertions),
  });
  return showTest(run, rules, exchange, startedAt, signatureOf(exchange, signature));
}

/** Those of its queue, or the defaults (§2.2). */
async function readRules({ queues }: Store, teamId: string, draft: TestDraft): Promise<Rules> {
  if (draft.kind !== 'job') return draft;
  return (await queues.findByName(teamId, draft.queue)) ?? DEFAULT_QUEUE_SETTINGS;
}

interface Run {
  kind: 'cron' | 'job';
  sent: Pick<CronInput, 'method' | 'url' | 'headers'> & { payload: Payload };
  apiCall: string;
  masking: Masking;
}

function readDraft(draft: TestDraft): Run {
  const { method, url, headers } = draft;
  const masked = new Set(draft.masked);
  // Typed values are shown.
  const masking = { isSecretHeader: (name: string) => masked.has(name), showSecrets: false };
  const kind = draft.kind === 'cron' ? 'cron' : 'job';
  const run = (payload: Payload, apiCall: string): Run => {
    return { kind, sent: { method, url, headers, payload }, apiCall, masking };
  };
  if (draft.kind === 'queue') return run(null, '');
  const shown = { method, url, headers: withMasks(headers, masking) };
  if (draft.kind === 'cron') {
    const { timeoutSeconds, payload } = draft;
    const schedule = { name: 'A cron', cronExpression: '0 * * * *', timeoutSeconds };
    return run(readCronPayload(payload), writeCronCall({ ...schedule, ...shown, payload }));
  }
  const { queue, payloadJson } = draft;
  const payload = payloadJson === null ? null : ({ kind: 'json', text: payloadJson } as const);
  return run(payload, writeJobCall({ queue, ...shown, payloadJson, callbackUrl: null }));
}

type TestRunDetail = ReturnType<typeof showTest>;

function showTest(
  { kind, sent, apiCall, masking }: Run,
  rules: Rules,
  exchange: Exchange,
  startedAt: number,
  signature: Signature | null,
) {
  const verdicts = evaluateAnswer(exchange, rules.assertions);
  const { ok, reason, errorMessage } = judgeExchange(exchange, verdicts, kind);
  const responseStatus = 'status' in exchange ? exchange.status : null;
  const ended = { responseStatus, reason, errorMessage };
  const answered = exchange.kind === 'answered' ? exchange.body : null;
  const shown = showRun(
    {
      kind: 'test',
      ...sent,
      ...ended,
      isPayloadKnown: true,
      isFailed: !ok,
      response: {
        body: answered?.stored ?? new Uint8Array(),
        totalBytes: answered?.totalBytes ?? 0,
      },
      trace: readTrace(writeTrace(exchange.trace, verdicts, { signature })),
      timeoutSeconds: rules.timeoutSeconds,
      assertions: rules.assertions,
      callback: { url: null, state: 'none' },
    },
    { ...masking, isWhole: false },
  );
  return {
    ...shown,
    ...ended,
    apiCall,
    kind: 'test' as const,
    status: ok ? ('success' as const) : ('failed' as const),
    durationMs: Math.round(exchange.durationMs),
    startedAt,
  };
}
