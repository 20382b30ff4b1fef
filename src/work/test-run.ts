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
  const rules = await readRules(store, teamId, draft);
  const team = await teams.find(teamId);
  const limit = monthlyLimitOf(team?.plan ?? '');
  const startedAt = clock.now();
  const request = buildRequest(requestOf(draft));
  if (request === 'query-too-long') {
    return showTest(draft, rules, QUERY_TOO_LONG, startedAt, null);
  }
  const secret = (await teams.readSigningSecret(teamId))?.secret ?? null;
  if (!(await usage.countOne(teamId, limit, startedAt))) return { kind: 'limit-reached' };
  const signature = makeSignature(secret, clock.now(), request.body);
  const exchange = await sender.send(addSignature(request, signature), {
    timeoutSeconds: rules.timeoutSeconds,
    needs: needsOf(rules.assertions),
  });
  return showTest(draft, rules, exchange, startedAt, signatureOf(exchange, signature));
}

/** Those of its queue, or the defaults (§2.2). */
async function readRules({ queues }: Store, teamId: string, draft: TestDraft): Promise<Rules> {
  if (draft.kind !== 'job') return draft;
  return (await queues.findByName(teamId, draft.queue)) ?? DEFAULT_QUEUE_SETTINGS;
}

function requestOf(draft: TestDraft) {
  const { method, url, headers } = draft;
  return { method, url, headers, payload: payloadOf(draft) };
}

function payloadOf(draft: TestDraft): Payload {
  if (draft.kind === 'queue') return null;
  if (draft.kind === 'cron') return readCronPayload(draft.payload);
  return draft.payloadJson === null ? null : { kind: 'json', text: draft.payloadJson };
}

/** Typed values are shown. */
function maskingOf(draft: TestDraft): Masking {
  const masked = new Set(draft.masked);
  return { isSecretHeader: (name) => masked.has(name), showSecrets: false };
}

type TestRunDetail = ReturnType<typeof showTest>;

function showTest(
  draft: TestDraft,
  rules: Rules,
  exchange: Exchange,
  startedAt: number,
  signature: Signature | null,
) {
  const kind = draft.kind === 'cron' ? 'cron' : 'job';
  const verdicts = evaluateAnswer(exchange, rules.assertions);
  const verdict = judgeExchange(exchange, verdicts, kind);
  const ended = {
    responseStatus: 'status' in exchange ? exchange.status : null,
    reason: verdict.reason,
    errorMessage: verdict.errorMessage,
  };
  const answered = exchange.kind === 'answered' ? exchange.body : null;
  const masking = maskingOf(draft);
  const shown = showRun(
    {
      kind: 'test',
      ...requestOf(draft),
      ...ended,
      isPayloadKnown: true,
      isFailed: !verdict.ok,
      response: {
        body: answered?.stored ?? new Uint8Array(),
        totalBytes: answered?.totalBytes ?? 0,
      },
      trace: readTrace(writeTrace(exchange, verdicts, { signature })),
      timeoutSeconds: rules.timeoutSeconds,
      assertions: rules.assertions,
      callback: { url: null, state: 'none' },
    },
    { ...masking, isWhole: false },
  );
  return {
    ...shown,
    ...ended,
    apiCall: callOf(draft, masking),
    kind: 'test' as const,
    status: verdict.ok ? ('success' as const) : ('failed' as const),
    durationMs: Math.round(exchange.durationMs),
    startedAt,
  };
}

function callOf(draft: TestDraft, masking: Masking): string {
  const { method, url } = draft;
  if (draft.kind === 'queue') return '';
  const headers = withMasks(draft.headers, masking);
  if (draft.kind === 'job') {
    const { queue, payloadJson } = draft;
    return writeJobCall({ queue, url, method, headers, payloadJson, callbackUrl: null });
  }
  const { timeoutSeconds, payload } = draft;
  const schedule = { name: 'A cron', cronExpression: '0 * * * *', timeoutSeconds };
  return writeCronCall({ ...schedule, url, method, headers, payload });
}
