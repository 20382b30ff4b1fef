import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { readTopLevelFields } from '#domain/json/text';
import { readCronInput } from './resources/cron.ts';
import { readJobInput } from './resources/job.ts';

interface Case {
  endpoint: '/api/crons' | '/api/jobs';
  body: unknown;
  expected: { status: number; errors?: Record<string, string[]> };
}

const file = new URL('../../spec/cases/validation.json', import.meta.url);
const cases = JSON.parse(readFileSync(file, 'utf8')) as Case[];

describe('the table of validation cases', () => {
  for (const { endpoint, body, expected } of cases) {
    const text = JSON.stringify(body);
    test(`${endpoint} ${text.slice(0, 120)} → ${expected.status}`, () => {
      const fields = readTopLevelFields(text) ?? new Map();
      const reading = endpoint === '/api/crons' ? readCronInput(fields) : readJobInput(fields);
      const errors = reading.ok ? undefined : Object.fromEntries(reading.errors);
      assert.deepEqual(errors, expected.errors);
    });
  }
});
