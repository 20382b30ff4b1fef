import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readTopLevelFields } from '#domain/json/text';
import { ApiServer, aCron, aJob } from '#testing/api-server';
import { CRON_REQUEST } from '#work/resources/cron';
import type { Fields, Reading } from '#work/fields';
import { JOB } from '#work/resources/job';
import { readWhole } from '#work/resources/resource';
import { buildOpenApi } from './openapi.ts';

interface Property {
  type: string | string[];
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxProperties?: number;
  enum?: (string | null)[];
  default?: unknown;
}

interface Schema {
  required: string[];
  properties: Record<string, Property>;
}

const { paths } = buildOpenApi('https://belfry.example');
const endpoints = [
  { path: '/api/crons', read: (fields: Fields) => readWhole(CRON_REQUEST, fields), sound: aCron },
  { path: '/api/jobs', read: (fields: Fields) => readWhole(JOB, fields), sound: aJob },
] as const;

function errorsOf(read: (fields: Fields) => Reading<unknown>, body: object) {
  const reading = read(readTopLevelFields(JSON.stringify(body)) ?? new Map());
  return new Map(reading.ok ? [] : reading.errors);
}

/** A value of exactly `length` characters that breaks no other rule of its field, if there is such a value. */
function textOfLength(field: string, length: number): string {
  if (field.endsWith('url')) return 'https://example.com/'.padEnd(length, 'a');
  return field === 'cron_expression' ? `${' '.repeat(length - 9)}* * * * *` : 'a'.repeat(length);
}

for (const { path, read, sound } of endpoints) {
  const { post } = paths[path];
  const request = post.requestBody.content['application/json'].schema as unknown as Schema;
  const properties = Object.entries(request.properties);

  describe(`the OpenAPI document of ${path}`, () => {
    test('the fields of the document are those of the validation, in the order of errors', () => {
      assert.deepEqual([...errorsOf(read, {}).keys()], request.required);
      // A value that every field refuses: none accepts a list with an empty object; for payload it is a number.
      const wrong = Object.fromEntries(
        properties.map(([field]) => [field, field === 'payload' ? 5 : [{}]]),
      );
      assert.deepEqual(
        [...errorsOf(read, wrong).keys()],
        properties.map(([field]) => field),
      );
    });

    for (const [field, property] of properties) {
      const breaks = (value: unknown) => errorsOf(read, { ...sound, [field]: value }).has(field);

      test(`${field}: its bounds are the validation's, both sides of each`, () => {
        const { maxLength, minimum, maximum, maxProperties } = property;
        if (maxLength !== undefined) {
          assert.equal(breaks(textOfLength(field, maxLength)), false);
          assert.equal(breaks(textOfLength(field, maxLength + 1)), true);
        }
        if (minimum !== undefined && maximum !== undefined) {
          assert.ok(breaks(minimum - 1) && breaks(maximum + 1));
          assert.ok(!breaks(minimum) && !breaks(maximum));
        }
        if (maxProperties !== undefined) {
          const many = (count: number) =>
            Object.fromEntries(Array.from({ length: count }, (_, n) => [`x${n}`, 'v']));
          assert.deepEqual(
            [breaks(many(maxProperties)), breaks(many(maxProperties + 1))],
            [false, true],
          );
        }
        for (const word of property.enum ?? []) assert.equal(breaks(word), false);
      });

      test(`${field}: a nullable field is optional and has the documented default`, () => {
        assert.equal(breaks(null), !property.type.includes('null'));
        if (property.default === undefined) return;
        const withDefault = { ...sound, [field]: property.default };
        const asText = (body: object) =>
          read(readTopLevelFields(JSON.stringify(body)) ?? new Map());
        assert.deepEqual(asText(withDefault), asText(sound));
      });
    }

    test('the OpenAPI document lists the statuses and members that are sent', async () => {
      await using api = await ApiServer.start();
      const created = await api.post(path, sound);
      const schema = post.responses[201].content['application/json'].schema as unknown as Schema;
      const answer = JSON.parse(created.text) as object;
      assert.deepEqual(Object.keys(answer), Object.keys(schema.properties));
      assert.deepEqual(Object.keys(answer), schema.required);
      const statuses = Object.keys(post.responses).map(Number);
      assert.deepEqual(statuses, [201, 302, 401, 403, 408, 413, 422, 429, 500, 503]);
    });
  });
}
