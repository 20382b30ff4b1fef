import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { buildCallbackRequest, cronCallbackBody, jobCallbackBody } from './callback.ts';
import type { CronEnding, JobEnding } from './callback.ts';
import { FAILURE_REASONS } from './failure.ts';

const completedAt = Date.UTC(2026, 10, 20, 9, 5, 0, 400);

const deadLettered: JobEnding = {
  jobId: 'b',
  originalJobId: 'a',
  status: 'dead_lettered',
  responseStatus: 503,
  durationMs: 1200,
  errorMessage: 'HTTP 503 error',
  attemptNumber: 4,
  completedAt,
};

const failedRun: CronEnding = {
  cronId: 'c',
  executionId: 'e',
  status: 'failed',
  responseStatus: null,
  durationMs: 30_000,
  errorMessage: 'Request timed out after 30 seconds',
  failureReason: 'timeout',
  completedAt,
};

function errorMessageOf(ending: Partial<CronEnding>): unknown {
  const body = JSON.parse(cronCallbackBody({ ...failedRun, ...ending })) as Record<string, unknown>;
  return body['error_message'];
}

describe('the callback of a job (§6.2)', () => {
  test('the callback of a dead-lettered job has its last attempt', () => {
    assert.equal(
      jobCallbackBody(deadLettered),
      '{"type":"job_execution","job_id":"b","original_job_id":"a","status":"dead_lettered",' +
        '"response_status":503,"duration_ms":1200,"error_message":"HTTP 503 error",' +
        '"attempt_number":4,"completed_at":"2026-11-20T09:05:00+00:00"}',
    );
  });

  test('a success has no error message', () => {
    const body = jobCallbackBody({ ...deadLettered, status: 'success', responseStatus: 200 });
    assert.match(body, /"status":"success","response_status":200,.*"error_message":null,/);
  });

  test('durations are whole milliseconds', () => {
    assert.match(jobCallbackBody({ ...deadLettered, durationMs: 1.6 }), /"duration_ms":2,/);
  });

  test('slashes and non-ASCII characters in a message are escaped', () => {
    const body = jobCallbackBody({ ...deadLettered, errorMessage: 'got "é/"' });
    assert.match(body, /"error_message":"got \\"\\u00e9\\\/\\""/);
  });
});

describe('the callback of a cron (§6.3)', () => {
  test('the callback of a failed run has the error', () => {
    assert.equal(
      cronCallbackBody(failedRun),
      '{"type":"cron_execution","cron_id":"c","execution_id":"e","status":"failed",' +
        '"response_status":null,"duration_ms":30000,' +
        '"error_message":"Request timed out after 30 seconds",' +
        '"completed_at":"2026-11-20T09:05:00+00:00"}',
    );
  });

  test('a plain HTTP error, a redirect too, has no error message', () => {
    for (const failureReason of ['http_client_error', 'http_server_error', null] as const) {
      const ending = { failureReason, responseStatus: 500, errorMessage: 'HTTP 500 error' };
      assert.equal(errorMessageOf(ending), null);
    }
  });

  test('every other failure has one', () => {
    for (const failureReason of FAILURE_REASONS) {
      if (failureReason.startsWith('http_')) continue;
      assert.equal(errorMessageOf({ failureReason, errorMessage: 'why' }), 'why');
    }
  });

  test('a success has none', () => {
    assert.equal(errorMessageOf({ status: 'success', failureReason: null }), null);
  });
});

describe('the request that carries a callback (§6.1)', () => {
  test('it is a POST of JSON to the exact URL, its query included', () => {
    const request = buildCallbackRequest('http://t/cb?ref=%c3%A9&a=b c#part', '{"a":1}');
    assert.deepEqual(request, {
      method: 'POST',
      url: 'http://t/cb?ref=%c3%A9&a=b c',
      headers: [
        ['Content-Type', 'application/json'],
        ['User-Agent', 'node'],
      ],
      body: Buffer.from('{"a":1}'),
    });
  });
});
