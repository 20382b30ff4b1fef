import assert from 'node:assert/strict';
import type { Store } from '#store/store';
import { ask } from './ask.ts';
import type { Answer } from './client.ts';
import type { TestService } from './service.ts';

const TABLES = ['crons', 'queues', 'jobs', 'ended_jobs', 'executions', 'ended_executions'] as const;
type Counts = Record<(typeof TABLES)[number], number>;

/** Counts the rows that a call could leave behind, over all teams. */
export async function countStored(store: Pick<Store, 'database'>): Promise<Counts> {
  const counts = TABLES.map((table) => `(select count(*) from ${table}) as ${table}`);
  const [row] = await ask<Record<string, number | string>>(store, `select ${counts.join()}`);
  return Object.fromEntries(TABLES.map((table) => [table, Number(row?.[table])])) as Counts;
}

/** Runs `call` and asserts that it left nothing behind. */
export async function leavingNothing<Result>(
  service: Pick<TestService, 'store'>,
  call: () => Promise<Result>,
): Promise<Result> {
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
): Promise<Answer> {
  const answer = await service.post(path, body);
  assert.equal(answer.status, 201, answer.text);
  return answer;
}
