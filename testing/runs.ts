import type { ExecutionDetail } from '#store/crons/crons';
import type { JobDetail } from '#store/jobs/job-records';
import { eventually } from './process.ts';
import { startRawReceiver, type RawConnection } from './raw-receiver.ts';
import { scheduleCron, setQueue } from './scheduling.ts';
import type { Answer } from './client.ts';
import { after } from 'node:test';
import { before } from './hooks.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { type TestService, useService } from './service.ts';
import type { OpenTestStore } from './stores.ts';

/** Helpers for single runs, from the API to their records: for tests of what the service sends and stores. */

/** The queue of jobs that are tried once: the first failure is the last. */
export const ONCE = 'once';

/** Makes the queue `once`; every suite that uses `runJob` does this first. */
export async function makeOnceQueue(service: TestService): Promise<void> {
  await setQueue(service, { retriesEnabled: false }, ONCE);
}

/** A service with the queue `once` and a target, for the tests of a file or suite. */
export function useServiceAndTarget(openTestStore: OpenTestStore) {
  const service = useService(openTestStore);
  const target = {} as Receiver;
  before(async () => {
    Object.assign(target, await startReceiver());
    await makeOnceQueue(service);
  });
  after(() => target.close());
  return { service, target };
}

/** A job's body as text, with the payload's text kept as it is: JSON.stringify would tidy it. */
export function jobText(fields: Record<string, unknown>, payloadText: string | null): string {
  const text = JSON.stringify({ queue: ONCE, ...fields });
  return payloadText === null ? text : `${text.slice(0, -1)},"payload":${payloadText}}`;
}

/** The default queue is `once`. Returns the job's id. */
export async function postJob(
  service: TestService,
  body: Record<string, unknown> | string,
): Promise<string> {
  const wanted = typeof body === 'string' ? body : { queue: ONCE, ...body };
  return idOf(await service.post('/api/jobs', wanted), 'job_id');
}

export async function runJob(
  service: TestService,
  body: Record<string, unknown> | string,
): Promise<JobDetail> {
  return jobEnd(service, await postJob(service, body));
}

export async function jobEnd(service: TestService, jobId: string): Promise<JobDetail> {
  return untilEnded(service, `job ${jobId}`, async () => {
    const job = await service.store.jobs.find(service.teamId, jobId);
    return job !== null && job.status !== 'pending' && job.status !== 'processing' && job;
  });
}

/** A claim that met a locked row is repeated milliseconds later by the service's clock, so that moves on, too. */
async function untilEnded<Run>(
  { clock }: TestService,
  what: string,
  find: () => Promise<Run | false>,
): Promise<Run> {
  let polls = 0;
  const poll = async () => {
    if (++polls % 200 === 0) await clock.advance(5);
    return find();
  };
  return eventually(poll, { everyMs: 4, what: `${what} to end` });
}

export async function runCron(
  service: TestService,
  body: Record<string, unknown>,
): Promise<ExecutionDetail> {
  const { id } = await scheduleCron(service, { is_active: false, ...body });
  return runCronNow(service, id);
}

export async function runCronNow(service: TestService, cronId: string): Promise<ExecutionDetail> {
  const started = await service.work.runCronNow(service.teamId, cronId);
  if (started === null) throw new Error(`no cron ${cronId}`);
  return executionEnd(service, started.id);
}

export async function executionEnd(
  service: TestService,
  executionId: string,
): Promise<ExecutionDetail> {
  return untilEnded(service, `execution ${executionId}`, async () => {
    const run = await service.work.findExecution(service.teamId, executionId);
    return run !== null && run.completedAt !== null && run;
  });
}

function idOf({ status, text, json }: Answer, field: string): string {
  if (status !== 201) throw new Error(`answered ${status}: ${text}`);
  return String(json[field]);
}

/** Keeps whole requests as bytes, one a connection. */
interface WireReceiver extends AsyncDisposable {
  /** Without a slash at its end. */
  url: string;
  /** As a `Host` header names it. */
  host: string;
  requests: readonly string[];
  /** The next request that has not been given. */
  next(): Promise<string>;
}

/** @param answer  the bytes of every answer; the connection ends behind it */
export async function startWireReceiver(
  answer = 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
): Promise<WireReceiver> {
  const requests: string[] = [];
  let given = 0;
  const receiver = await startRawReceiver(async (connection) => {
    requests.push(await readRequest(connection));
    await connection.send(answer);
    connection.end();
  });
  return {
    url: receiver.url,
    host: `127.0.0.1:${receiver.port}`,
    requests,
    next: async () => {
      const place = given++;
      return eventually(() => requests[place] ?? null, { everyMs: 2, what: 'another request' });
    },
    [Symbol.asyncDispose]: () => receiver.close(),
  };
}

async function readRequest(connection: RawConnection): Promise<string> {
  const head = (await connection.until()).toString('latin1');
  const headEnd = head.indexOf('\r\n\r\n') + 4;
  const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head.slice(0, headEnd))?.[1] ?? 0);
  return (await connection.untilBytes(headEnd + length)).toString('latin1');
}

export function bodyOf(request: string): string {
  return request.slice(request.indexOf('\r\n\r\n') + 4);
}

/** The target in a request's first line, between method and version. */
export function targetOf(request: string): string {
  return request.split(' ', 2)[1] ?? '';
}

/** Header lines as sent, without those that any HTTP message needs to be framed. */
export function headerLinesOf(request: string): string[] {
  const [, ...lines] = request.slice(0, request.indexOf('\r\n\r\n')).split('\r\n');
  return lines.filter((line) => !/^(?:host|connection|content-length):/i.test(line));
}
