import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLog, type MainLog } from './log.ts';

async function capture(options: { level?: 'debug' | 'info' | 'silent'; pretty?: boolean } = {}) {
  const lines: string[] = [];
  const to = { write: (line: string) => void lines.push(line) };
  const log: MainLog = await createLog({
    level: options.level ?? 'info',
    pretty: options.pretty ?? false,
    to,
  });
  return {
    log,
    lines,
    fields: () => JSON.parse(lines.at(-1) ?? 'null') as Record<string, unknown>,
  };
}

describe('the log', () => {
  test('the log has one JSON line per event with level, time, name and fields', async () => {
    const { log, lines, fields } = await capture();
    log.info('attempt.settled', { jobId: 'j1', attempt: 2, durationMs: 31 });
    const { time, ...rest } = fields();
    assert.deepEqual(rest, {
      level: 'info',
      event: 'attempt.settled',
      jobId: 'j1',
      attempt: 2,
      durationMs: 31,
    });
    assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.equal(lines.length, 1);
    assert.equal(lines[0]?.indexOf('\n'), (lines[0]?.length ?? 0) - 1);
  });

  test('the log omits entries below its level, but never announcements', async () => {
    const { log, lines } = await capture({ level: 'silent' });
    log.error('fault');
    assert.deepEqual(lines, []);
    log.announce('belfry is ready at http://127.0.0.1:3000');
    assert.equal(lines.length, 1);
  });

  test('the log hides fields named like secrets at any depth', async () => {
    const { log, lines } = await capture();
    log.warn('x', {
      Authorization: 'Bearer hush',
      apiToken: 'hush',
      list: [{ password: 'hush' }],
      deep: { 'Set-Cookie': ['hush'], signing_secret: { text: 'hush' } },
      hasToken: true,
    });
    assert.doesNotMatch(lines[0] ?? '', /hush/);
    assert.match(lines[0] ?? '', /"hasToken":true/);
  });

  test("the log writes an error's name, message, code and cause only", async () => {
    const { log, fields } = await capture();
    const error = Object.assign(new Error('no', { cause: new Error('why') }), {
      code: 'E_NO',
      body: 'hush',
    });
    log.error('job.broken', { error });
    const { stack, ...logged } = fields()['error'] as Record<string, unknown>;
    assert.deepEqual(logged, {
      name: 'Error',
      message: 'no',
      code: 'E_NO',
      cause: { name: 'Error', message: 'why' },
    });
    assert.match(String(stack), /log\.test\.ts/);
  });

  test('the log cuts long texts and lists, counts bytes and survives cycles', async () => {
    const { log, lines } = await capture();
    const cycle: Record<string, unknown> = {
      text: 'x'.repeat(1e6),
      list: Array(1e5).fill(1),
      bytes: Buffer.alloc(9),
    };
    cycle['self'] = cycle;
    log.info('x', cycle);
    assert.ok((lines[0]?.length ?? 0) < 100_000);
    assert.match(lines[0] ?? '', /\[9 bytes\]/);
  });

  test('the log has one line per event', async () => {
    const { log, lines } = await capture();
    log.info('x', { name: 'a\nb\u2028c' });
    assert.equal(lines[0]?.trimEnd().includes('\n'), false);
  });

  test('the log is readable text on a terminal', async () => {
    const { log, lines } = await capture({ pretty: true });
    log.info('cron.created', { cronId: 'c1' });
    assert.match(lines.join(''), /INFO/);
    assert.match(lines.join(''), /cron\.created/);
    assert.throws(() => JSON.parse(lines.join('')));
  });
});
