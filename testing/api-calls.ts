import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import type { EndedTable, RunTable } from '#store/runs/run-tables';
import type { Store } from '#store/store';
import type { ApiAnswer, TestService } from './service.ts';

export interface HttpCall {
  method?: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
  localAddress?: string;
}

/** An answer as it came over the socket. */
interface HttpAnswer {
  status: number;
  /** By lower-case name. */
  headers: IncomingMessage['headers'];
  /** Names in the case and order in which they came. */
  headerNames: string[];
  text: string;
}

/** Sends one request on a connection of its own, with no header that was not asked for. */
export async function callHttp(address: string, call: HttpCall = {}): Promise<HttpAnswer> {
  const { method = 'POST', headers = {}, body, localAddress } = call;
  const req = request(address, {
    method,
    headers,
    agent: false,
    ...(localAddress !== undefined && { localAddress }),
  });
  req.end(body);
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of res) chunks.push(chunk as Buffer);
  return {
    status: res.statusCode ?? 0,
    headers: res.headers,
    headerNames: res.rawHeaders.filter((_, index) => index % 2 === 0),
    text: Buffer.concat(chunks).toString(),
  };
}

/** Counts the rows that a call could leave behind, over all teams. */
export async function countStored({ database }: Pick<Store, 'database'>) {
  return database.read(async (db) => {
    const count = async (table: 'crons' | 'queues' | RunTable | EndedTable) => {
      const query = db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number | string>().as('rows'));
      return Number((await query.executeTakeFirstOrThrow()).rows);
    };
    return {
      crons: await count('crons'),
      queues: await count('queues'),
      jobs: (await count('jobs')) + (await count('ended_jobs')),
      executions: (await count('executions')) + (await count('ended_executions')),
    };
  });
}

/** Runs `call` and asserts that it left nothing behind. */
export async function leavingNothing<Answer>(
  service: Pick<TestService, 'store'>,
  call: () => Promise<Answer>,
): Promise<Answer> {
  const before = await countStored(service.store);
  const answer = await call();
  assert.deepEqual(await countStored(service.store), before, 'nothing may be stored');
  return answer;
}

/**
 * Asserts a 422 with exactly these errors, fields and messages in this order (§7.1), and that nothing is stored.
 *
 * @param body  anything that JSON can say, or the text of a body
 */
export async function expectRefused(
  service: TestService,
  path: '/api/crons' | '/api/jobs',
  body: unknown,
  errors: Record<string, string[]>,
): Promise<void> {
  const answer = await leavingNothing(service, () => service.post(path, body));
  assert.equal(answer.status, 422, answer.text);
  assert.equal(answer.headers.get('content-type'), 'application/json');
  const [first, ...rest] = Object.values(errors).flat();
  const more = rest.length === 1 ? ' (and 1 more error)' : ` (and ${rest.length} more errors)`;
  const message = `${first}${rest.length === 0 ? '' : more}`;
  // Compared as texts, because the order of the fields matters.
  assert.equal(JSON.stringify(answer.json), JSON.stringify({ message, errors }));
}

/** Asserts a 201 and gives its answer. */
export async function expectCreated(
  service: TestService,
  path: '/api/crons' | '/api/jobs',
  body: unknown,
): Promise<ApiAnswer> {
  const answer = await service.post(path, body);
  assert.equal(answer.status, 201, answer.text);
  return answer;
}
