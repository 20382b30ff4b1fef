import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, forEachDatabase, launchBelfry, startBelfry } from './process.ts';

forEachDatabase((_name, makeDatabaseUrl) => {
  test('the service starts, answers, stops and starts again on the same database', async () => {
    await using belfry = await startBelfry({ databaseUrl: await makeDatabaseUrl() });
    assert.equal((await fetch(`${belfry.url}/healthz`)).status, 200);
    assert.equal(await belfry.stop(), 0);
    await assert.rejects(fetch(`${belfry.url}/healthz`));
    await using again = await belfry.restart();
    assert.equal((await fetch(`${again.url}/healthz`)).status, 200);
    await again.kill();
    assert.equal(await again.exited, null);
  });
});

test('a start that fails can be looked at', async () => {
  const belfry = launchBelfry({ env: { ROLE: 'bellringer' } });
  assert.equal(await belfry.exited, 2);
  assert.match(await belfry.line(/ROLE/), /engine/);
  await assert.rejects(startBelfry({ env: { ROLE: 'bellringer' } }), /ended before[^]*ROLE/);
});

test('a command runs next to the service and its output is read', async () => {
  await using belfry = await startBelfry();
  for (const run of [
    (...args: string[]) => belfry.cli(...args),
    (...args: string[]) => belfry.cliProcess(...args),
  ]) {
    const { code, json, stdout, stderr } = await run('no-such-command');
    assert.equal(code, 1);
    assert.equal(json, null);
    assert.equal(stdout, '');
    assert.notEqual(stderr, '');
    assert.deepEqual((await run('team', 'list')).json, []);
  }
});

test('eventually repeats until there is a result, and gives up in time', async () => {
  let asked = 0;
  assert.equal(await eventually(() => (++asked < 3 ? null : asked), { everyMs: 1 }), 3);
  await assert.rejects(
    eventually(() => false, { withinMs: 5, everyMs: 1, what: 'rain' }),
    /rain/,
  );
});
