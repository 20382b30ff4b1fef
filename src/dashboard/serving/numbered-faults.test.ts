import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RouterContextProvider } from 'react-router';
import { requestFacts, type RequestFacts } from '../context.ts';
import { guard, nullIfBusy } from './numbered-faults.ts';

type Thrown = { data: unknown; init?: ResponseInit };

/** What a page becomes if its loader throws an error with this code, and what is logged. */
async function answerOf(code?: string) {
  const logged: string[] = [];
  const context = new RouterContextProvider();
  context.set(requestFacts, {
    requestId: 'r-1',
    logError: (event: string) => void logged.push(event),
  } as unknown as RequestFacts);
  const error = Object.assign(new Error('the cause'), code === undefined ? {} : { code });
  const loader = guard(async (_given: { context: unknown; pattern: string }): Promise<string> => {
    throw error;
  });
  const thrown = await loader({ context, pattern: '/jobs' }).then(
    () => assert.fail('it threw'),
    (rejected: Thrown) => rejected,
  );
  return { data: thrown.data, status: thrown.init?.status, logged };
}

test('an error of a loader becomes the page for its code; others are logged with the number that their page shows', async () => {
  const fault = { data: { requestId: 'r-1' }, status: 500, logged: ['dashboard.failed'] };
  for (const [code, answer] of [
    ['NOT_ALLOWED', { data: null, status: 403, logged: [] }],
    ['STORE_UNAVAILABLE', { data: null, status: 503, logged: [] }],
    ['STORE_BUSY', { data: { isBusy: true }, status: 503, logged: [] }],
    ['EIO', fault],
    [undefined, fault],
  ] as const)
    assert.deepEqual(await answerOf(code), answer, String(code));
});

test('a part that a page can do without is left out only if the store is busy', () => {
  assert.equal(nullIfBusy({ code: 'STORE_BUSY' }), null);
  assert.throws(() => nullIfBusy(Object.assign(new Error('away'), { code: 'STORE_UNAVAILABLE' })));
});
