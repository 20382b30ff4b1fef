import assert from 'node:assert/strict';
import type { EndedTable, RunTable } from '#store/runs/run-tables';
import type { Store } from '#store/store';
import type { Answer } from './client.ts';
import type { TestService } from './service.ts';

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
