/** §2.6: what the target endpoint receives, byte for byte; §2.6, and the payload rules of §2.1 and §2.2. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { before, useStarted } from '#testing/hooks';
import {
  bodyOf,
  headerLinesOf,
  jobText,
  makeOnceQueue,
  runCron,
  runJob,
  startWireReceiver,
  targetOf,
} from '#testing/runs';
import { useService } from '#testing/service';
import { openSqliteTestStore } from '#testing/stores';

const target = useStarted(startWireReceiver);
const service = useService(openSqliteTestStore);
before(() => makeOnceQueue(service));

/** The bytes that a job makes arrive at the target. */
async function sendJob(
  fields: Record<string, unknown> = {},
  payloadText: string | null = null,
): Promise<string> {
  const job = await runJob(service, jobText({ url: `${target.url}/p`, ...fields }, payloadText));
  assert.equal(job.status, 'success', job.errorMessage ?? '');
  return target.next();
}

async function sendCron(fields: Record<string, unknown> = {}): Promise<string> {
  const run = await runCron(service, { url: `${target.url}/p`, ...fields });
  assert.equal(run.status, 'success', run.errorMessage ?? '');
  return target.next();
}

/** A whole request as it has to be: the framing of `outgoing`, then exactly these lines and this body. */
function wire(firstLine: string, lines: readonly string[], body: string | null): string {
  const length = body === null ? [] : [`content-length: ${body.length}`];
  const head = [`host: ${target.host}`, 'connection: keep-alive', ...lines, ...length];
  return `${firstLine} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

const AGENT = 'User-Agent: node';
const JSON_TYPE = 'Content-Type: application/json';

describe('the body by method, every byte of the request', () => {
  test('POST, PUT and PATCH send the payload as JSON, or [] without one', async () => {
    for (const method of ['POST', 'PUT', 'PATCH'])
      assert.equal(
        await sendJob({ method }, '{"a": 1, "b": [true, null]}'),
        wire(`${method} /p`, [JSON_TYPE, AGENT], '{"a":1,"b":[true,null]}'),
      );
    for (const payload of ['null', '{}', ' [ ] '])
      assert.equal(
        await sendJob({ method: 'PUT' }, payload),
        wire('PUT /p', [JSON_TYPE, AGENT], '[]'),
      );
  });

  test('DELETE sends the payload as JSON, or no body and no Content-Type without one', async () => {
    assert.equal(
      await sendJob({ method: 'DELETE' }, '[1]'),
      wire('DELETE /p', [JSON_TYPE, AGENT], '[1]'),
    );
    for (const payload of [null, '{}', '[]'])
      assert.equal(await sendJob({ method: 'DELETE' }, payload), wire('DELETE /p', [AGENT], null));
  });

  test('GET sends the payload in the query string in place of parameters of its names', async () => {
    assert.equal(
      await sendJob({ method: 'GET', url: `${target.url}/p?k=a+b%2F&a=1#f` }, '{"a":"x y"}'),
      wire('GET /p?k=a+b%2F&a=x%20y', [AGENT], null),
    );
  });

  test('a payload never reaches the query of a request with a body', async () => {
    const request = await sendJob({ url: `${target.url}/p?a=1` }, '{"a":2}');
    assert.equal(targetOf(request), '/p?a=1');
    assert.equal(bodyOf(request), '{"a":2}');
  });

  test('a job without a method is a POST, a cron a GET (§2.1, §2.2)', async () => {
    assert.equal(await sendJob(), wire('POST /p', [JSON_TYPE, AGENT], '[]'));
    assert.equal(await sendCron(), wire('GET /p', [AGENT], null));
  });
});

describe('headers', () => {
  test('configured headers are sent exactly: case, order, spaces and bytes', async () => {
    const headers =
      '{"x-zULU":"1","X-Alpha":"  two  words ","2":"b","1":"a","Cookie":"k=v","X-Latin":"caf\u00e9","X-Empty-ish":"\\t"}';
    const text = `{"queue":"once","url":"${target.url}/p","method":"GET","headers":${headers}}`;
    const job = await runJob(service, text);
    assert.equal(job.status, 'success');
    assert.deepEqual(headerLinesOf(await target.next()), [
      AGENT,
      'x-zULU: 1',
      'X-Alpha:   two  words ',
      '2: b',
      '1: a',
      'Cookie: k=v',
      'X-Latin: caf\xe9',
      'X-Empty-ish: \t',
    ]);
  });

  test('a configured Content-Type replaces the default, in any case', async () => {
    const headers = { 'CONTENT-type': 'text/x-own' };
    const request = await sendJob({ headers }, '{"a":1}');
    assert.deepEqual(headerLinesOf(request), [AGENT, 'CONTENT-type: text/x-own']);
    assert.equal(bodyOf(request), '{"a":1}', 'the body is JSON all the same');
  });

  test('a configured User-Agent replaces ours, and a configured Host the URL’s (§2.6)', async () => {
    const request = await sendJob({ headers: { 'uSER-aGENT': 'mine/1', Host: 'other.test' } });
    assert.deepEqual(headerLinesOf(request), [JSON_TYPE, 'uSER-aGENT: mine/1']);
    assert.match(request, /^POST \/p HTTP\/1\.1\r\nHost: other\.test\r\n/);
    assert.equal(request.match(/\r\n(?:host|user-agent):/gi)?.length, 2);
  });

  test('a configured Content-Type is sent even without a body', async () => {
    const request = await sendJob({ method: 'GET', headers: { 'Content-Type': 'a/b' } });
    assert.deepEqual(headerLinesOf(request), [AGENT, 'Content-Type: a/b']);
  });

  test('a hundred headers and 16 KiB of them arrive (§2.10)', async () => {
    const headers = Object.fromEntries(
      Array.from({ length: 100 }, (_, n) => [`X-${n}`, 'v'.repeat(150)]),
    );
    const lines = headerLinesOf(await sendJob({ method: 'GET', headers }));
    assert.deepEqual(lines, [AGENT, ...Object.entries(headers).map(([n, v]) => `${n}: ${v}`)]);
  });
});

const nest = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('a cron’s payload (§2.1)', () => {
  const rows: [clause: string, payload: string, body: string][] = [
    ['a JSON object is sent as that JSON', '{"b":{},"a":1.0}', '{"b":[],"a":1.0}'],
    ['a JSON array is sent as that JSON', ' [1 , "é"] ', '[1,"\\u00e9"]'],
    ['other text is sent under the key body', 'a/é "q"', '{"body":"a\\/\\u00e9 \\"q\\""}'],
    ['a JSON number is other text', '42', '{"body":"42"}'],
    ['broken JSON is other text, its spaces kept', ' {"a":1 ', '{"body":" {\\"a\\":1 "}'],
    ['an empty object is an empty payload', '{}', '[]'],
    ['512 levels are JSON', nest(512), nest(512)],
    ['deeper than 512 levels is text (§2.6)', nest(513), `{"body":"${nest(513)}"}`],
  ];
  test('a payload is JSON if it reads as an object or array, else text', async () => {
    for (const [clause, payload, body] of rows)
      assert.equal(
        await sendCron({ method: 'POST', payload }),
        wire('POST /p', [JSON_TYPE, AGENT], body),
        clause,
      );
  });

  test("a cron's payload is the body as text, or the query parameters of a GET", async () => {
    const text = await sendCron({ payload: 'a b' });
    assert.equal(text, wire('GET /p?body=a%20b', [AGENT], null));
  });

  test('a cron without a payload sends [] by POST and nothing by DELETE', async () => {
    assert.equal(bodyOf(await sendCron({ method: 'POST' })), '[]');
    assert.equal(await sendCron({ method: 'DELETE' }), wire('DELETE /p', [AGENT], null));
  });
});
