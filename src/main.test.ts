import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import { afterEach, describe, test } from 'node:test';
import { UNDER_TEST } from '#testing/process';

const running = new Set<ChildProcess>();
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
});

/** Runs the service as a process of its own on a free port, with a database in memory and only the given settings. */
function run(
  settings: Record<string, string> = {},
  command: string[] = [],
  channel: 'ipc' | 'ignore' = 'ignore',
) {
  const [file, ...first] = UNDER_TEST;
  const env = {
    PATH: process.env['PATH'],
    // The tests here mostly start processes, and these need not compile again what another has compiled.
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    PORT: '0',
    DATABASE_URL: 'sqlite::memory:',
    ...settings,
  };
  const child = spawn(file, [...first, ...command], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', channel],
  }) as ChildProcessByStdio<null, Readable, Readable>;
  running.add(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output }));
  return { child, ended, output };
}

async function serve(settings: Record<string, string> = {}, channel?: 'ipc') {
  const service = run(settings, [], channel);
  let ready = /belfry is ready at (http:\/\/[^\s"]+)/.exec(service.output.stdout);
  while (ready === null) {
    const more = once(service.child.stdout, 'data');
    const over = service.ended.then(({ stderr }) => assert.fail(`it ended instead: ${stderr}`));
    await Promise.race([more, over]);
    ready = /belfry is ready at (http:\/\/[^\s"]+)/.exec(service.output.stdout);
  }
  return { ...service, address: new URL(ready[1] ?? '') };
}

/** Sends a request whose body never ends, so that a graceful stop has to wait for it. */
async function hangingRequest({ hostname, port }: URL) {
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(
    'POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n',
  );
  await once(socket, 'data'); // the server has taken the request up
  return socket;
}

describe('the process', () => {
  test('the process logs its address once, in JSON lines, and the first account is made there', async () => {
    const { address, output } = await serve({ LOG_LEVEL: 'error' });
    assert.equal(address.hostname, '127.0.0.1');
    const setUp = (origin: string) =>
      fetch(new URL('/setup', address), {
        method: 'POST',
        redirect: 'manual',
        headers: { Origin: origin },
        body: new URLSearchParams({
          name: 'Ada',
          email: 'ada@bells.test',
          password: 'long enough to be one',
          team: 'Bells',
        }),
      });
    for (const foreign of ['http://127.0.0.1:1', 'http://127.0.0.2', 'http://evil.example'])
      assert.equal((await setUp(foreign)).status, 403, foreign);
    const answer = await setUp(address.origin);
    assert.equal(answer.status, 302, await answer.text());
    assert.equal(answer.headers.get('Location'), '/');
    const lines = output.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string });
    assert.equal(lines.filter(({ event }) => event.startsWith('belfry is ready at ')).length, 1);
  });

  test('a signal waits for running attempts, and a second one exits with 1 at once', async () => {
    const { child, ended, address, output } = await serve();
    const socket = await hangingRequest(address);
    child.kill('SIGTERM');
    while (!output.stdout.includes('stop.asked')) await once(child.stdout, 'data');
    assert.equal(child.exitCode, null);
    child.kill('SIGTERM');
    assert.equal((await ended).code, 1);
    socket.destroy();
  });

  test('a signal sent twice by systemd and the launcher counts once', async () => {
    const { child, ended, address, output } = await serve({}, 'ipc');
    const socket = await hangingRequest(address);
    child.kill('SIGTERM');
    child.kill('SIGINT');
    while (!output.stdout.includes('stop.asked')) await once(child.stdout, 'data');
    socket.write('0123456789');
    assert.equal((await ended).code, 0);
    socket.destroy();
  });

  test("a stop doesn't wait longer than the grace period", async () => {
    const { child, ended, address } = await serve({ SHUTDOWN_GRACE_SECONDS: '0' });
    const socket = await hangingRequest(address);
    child.kill('SIGTERM');
    assert.equal((await ended).code, 0);
    socket.destroy();
  });

  const noTerminal = spawnSync('script', ['--version']).error
    ? 'no `script` to make a terminal with'
    : false;

  async function serveOnTerminal() {
    const env = { PATH: process.env['PATH'], PORT: '0', DATABASE_URL: 'sqlite::memory:' };
    const command = [
      '-qec',
      `exec ${UNDER_TEST.map((each) => `'${each}'`).join(' ')}`,
      '/dev/null',
    ];
    const child = spawn('script', command, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    running.add(child);
    let said = '';
    while (!said.includes('/setup')) {
      const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
      said += chunk.toString();
    }
    return { child, said };
  }

  test('on a terminal the start prints address, data folder and first step, not JSON', async (t) => {
    if (noTerminal) return t.skip(noTerminal);
    const { child, said } = await serveOnTerminal();
    assert.match(said, /^belfry is ready at http:\/\/127\.0\.0\.1:\d+\r$/m);
    assert.match(said, /^ {2}data: in memory, gone when the service stops\r$/m);
    assert.match(said, /^ {2}next: make the first account at http:\/\/localhost:\d+\/setup\r$/m);
    child.stdin.write('\u0003');
    assert.deepEqual(await once(child, 'exit'), [0, null], 'Ctrl-C stops it gracefully');
  });

  test('a closed terminal stops the service gracefully', async (t) => {
    if (noTerminal) return t.skip(noTerminal);
    const { child, said } = await serveOnTerminal();
    const address = new URL(/http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? '');
    const socket = await hangingRequest(address);
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    const closed = once(socket, 'close');
    child.kill('SIGKILL');
    while ((await fetch(new URL('/healthz', address)).catch(() => null)) !== null);
    socket.write('0123456789');
    await closed;
    assert.match(answer, /^HTTP\/1\.1 /, 'the running request is answered');
  });

  test('the command serve starts the service, which exits with 0 after SIGTERM', async () => {
    const service = run({}, ['serve']);
    while (!service.output.stdout.includes('belfry is ready'))
      await once(service.child.stdout, 'data');
    service.child.kill('SIGTERM');
    const { code, stderr } = await service.ended;
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  });

  test('no command runs with wrong settings', async () => {
    const { code, stdout, stderr } = await run({ PORT: 'x' }, ['team', 'list']).ended;
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^belfry: PORT: /);
  });

  test('the version is printed with any settings', async () => {
    const { code, stdout } = await run({ PORT: 'x' }, ['--version']).ended;
    assert.equal(code, 0);
    assert.match(stdout, /^\d+\.\d+\.\d+( \(commit [0-9a-f]{12}\))?\n$/);
  });
});
