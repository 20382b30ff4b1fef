import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { threadMs } from '#testing/spent-time';
import * as formFields from './form-fields.ts';
import { readFormPairs } from './form-fields.ts';
import { JOB } from './resources/job.ts';
import { readWhole } from './resources/resource.ts';

const readFormFields = (body: string, wanted?: ReadonlySet<string>) =>
  formFields.readFormFields(Buffer.from(body), wanted);

function rawOf(body: string): Record<string, string> {
  return Object.fromEntries([...readFormFields(body)].map(([name, node]) => [name, node.raw]));
}

describe('a body of form data', () => {
  test('form fields with plain names are strings, the last of equal names', () => {
    assert.deepEqual(rawOf('a=1&b=%C3%A9+%2F&a=2&c'), { a: '"2"', b: '"é /"', c: '""' });
  });

  test('an escaped byte that is not UTF-8 damages no other letter of its field', () => {
    assert.deepEqual(rawOf('a=%ff für 50%&b=é"%41+'), { a: '"\ufffd für 50%"', b: '"é\\"A "' });
  });

  test('form fields with bracketed names become objects and lists', () => {
    assert.deepEqual(rawOf('payload[b]=1&payload[a][x]=2'), { payload: '{"b":"1","a":{"x":"2"}}' });
    assert.deepEqual(rawOf('p[]=1&p[]=2'), { p: '["1","2"]' });
    assert.deepEqual(rawOf('p[0]=1&p[1][k]=2'), { p: '["1",{"k":"2"}]' });
    assert.deepEqual(rawOf('p[1]=x&p[0]=y'), { p: '{"1":"x","0":"y"}' });
    assert.deepEqual(rawOf('p[5]=x&p[]=y'), { p: '{"5":"x","6":"y"}' });
    assert.deepEqual(rawOf('p%5Ba%5D=1&p[__proto__]=2'), { p: '{"a":"1","__proto__":"2"}' });
    assert.deepEqual(rawOf('p=1&p[a]=2'), { p: '{"a":"2"}' });
    assert.deepEqual(rawOf('p[a]=2&p=1'), { p: '"1"' });
    const unmatched = ['a[b', '[c]', 'd]', 'e[f]g'];
    assert.deepEqual(Object.keys(rawOf('a[b=1&[c]=2&d]=3&e[f]g=4')), unmatched);
  });

  test('form fields nested too deep are rejected without cost', () => {
    const reading = readWhole(JOB, readFormFields(`payload${'[a]'.repeat(300_000)}=1`));
    assert.ok(!reading.ok);
    const message = 'The payload field must not be nested deeper than 512 levels.';
    assert.deepEqual(Object.fromEntries(reading.errors)['payload'], [message]);
    const deepest = `queue=q&url=http://a&payload${'[]'.repeat(512)}=1`;
    assert.ok(readWhole(JOB, readFormFields(deepest)).ok);
  });

  test('form data with too many fields is read as empty', () => {
    assert.equal(readFormFields('a=1&'.repeat(10_000)).size, 1);
    assert.equal(readFormFields('a=1&'.repeat(10_001)).size, 0);
    const from = threadMs();
    assert.equal(readFormFields('&a'.repeat(500_000)).size, 0);
    assert.ok(threadMs() - from < 1000, 'and says so at once');
  });

  test('form data ignores unknown names', () => {
    const fields = readFormFields('a=1&b[c]=2&d[e]=3&[d]=4&b=5', new Set(['b', 'd']));
    assert.deepEqual([...fields.keys()], ['b', 'd']);
  });

  test('reading form data never throws and keeps plain fields', () => {
    const name = fc.string().filter((text) => !text.includes('['));
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.string())), (pairs) => {
        const fields = readFormPairs(pairs);
        for (const [key, value] of new Map(pairs)) {
          const node = fields.get(key);
          assert.equal(node?.kind === 'string' && node.value, value);
        }
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('[', ']', 'a', '0', '=', '&') }), (body) => {
        readFormFields(body);
      }),
    );
  });
});
