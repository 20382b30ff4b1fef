// `npm run dev`: restarts the service and rebuilds its dashboard after each change in src.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isPinnedNode } from './pinned-node.js';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const SOURCES = fileURLToPath(new URL('../src', import.meta.url));
/** An editor, or a switch of branches, writes many files at once. */
const SETTLE_MS = 200;

if (isPinnedNode()) await runDevelopment();

async function runDevelopment() {
  const { buildDashboardIfChanged } = await import('./build-dashboard.js');
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopping.abort());
  const changes = watchSources(stopping.signal);
  while (!stopping.signal.aborted) {
    // If the build fails, the last one stays.
    buildDashboardIfChanged();
    const service = spawn(process.execPath, [MAIN], { stdio: 'inherit' });
    const ended = once(service, 'exit');
    await changes.next();
    if (service.exitCode === null && service.signalCode === null) service.kill();
    await ended;
  }
}

/** Each `next` resolves after a change, when nothing changes any more. */
function watchSources(signal) {
  let change = Promise.withResolvers();
  const watcher = watch(SOURCES, { recursive: true, signal }, (_event, name) => {
    if (!/\.test\.tsx?$/.test(name ?? '')) change.resolve();
  });
  watcher.on('error', (error) => process.stderr.write(`belfry: ${error.message}\n`));
  signal.addEventListener('abort', () => change.resolve());
  return {
    async next() {
      await change.promise;
      if (!signal.aborted) await delay(SETTLE_MS);
      change = Promise.withResolvers();
    },
  };
}
