import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { test } from 'node:test';
import { askHealth, HEALTHY } from './health.ts';

/** `fetch` refuses to call these (the Fetch standard's bad ports). */
const BLOCKED_PORTS = [6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697];

test('the health check reaches a service on a port that fetch refuses', async () => {
  await using server = createServer((_request, response) => response.end(HEALTHY));
  const port = await listenOnFirstFree(server, BLOCKED_PORTS);
  await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`));
  assert.deepEqual(await askHealth({ host: '127.0.0.1', port }), {
    kind: 'lives',
    installation: null,
  });
});

async function listenOnFirstFree(server: Server, ports: readonly number[]): Promise<number> {
  for (const port of ports) {
    server.listen(port, '127.0.0.1');
    if (await once(server, 'listening').catch(() => false)) return port;
  }
  throw new Error(`none of these ports is free: ${ports.join()}`);
}
