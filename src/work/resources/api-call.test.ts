import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeCronCall, writeJobCall } from './api-call.ts';

const JOB = {
  queue: "it's",
  url: 'https://example.com/',
  method: 'POST' as const,
  headers: [['X-A', 'b']] as const,
  payloadJson: '{"n": 1.0}',
  callbackUrl: null,
};

test('an API call has the payload as given and no token', () => {
  const call = writeJobCall(JOB);
  assert.match(call, /\$BASE_URL\/api\/jobs/);
  assert.match(call, /Bearer \$API_TOKEN/);
  assert.ok(call.includes(String.raw`{"queue": "it'\''s", "url": "https://example.com/"`));
  assert.ok(call.includes('"headers": {"X-A": "b"}, "payload": {"n": 1.0}}'));
  assert.ok(!call.includes('callback_url'));
  const { queue: _, payloadJson: payload, ...request } = JOB;
  const cron = { ...request, payload, name: 'x', cronExpression: '* * * * *' };
  assert.ok(writeCronCall(cron).includes(String.raw`"payload": "{\"n\": 1.0}"`));
});
