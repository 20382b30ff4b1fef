import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Hono } from 'hono';
import { readArrival, readClientAddress } from '#api/client-address';
import { type DashboardBuild, openBuildFolder } from '#dashboard/build';
import type { DashboardOptions } from '#dashboard/server';
import type { Log } from '#domain/base/log';

const FOLDER = fileURLToPath(new URL('../../build/dashboard', import.meta.url));

interface Options extends Omit<DashboardOptions, 'readClientAddress' | 'readArrival'> {
  trustedProxies: number;
}

/** So that the start doesn't wait for it and a node without visitors runs without React. Mount it last. */
export function createLazyDashboard(given: Options): Hono {
  const { trustedProxies, ...options } = given;
  let loading: Promise<Hono> | null = null;
  const load = async () => {
    const { createDashboard } = await import('#dashboard/server');
    return createDashboard({
      ...options,
      readClientAddress: (_request, env) =>
        readClientAddress((env as { incoming: IncomingMessage }).incoming, trustedProxies),
      readArrival: (env) => readArrival((env as { incoming: IncomingMessage }).incoming),
    });
  };
  return new Hono().all('*', async (c) => {
    loading ??= load();
    // The next visitor tries again.
    loading.catch(() => (loading = null));
    return (await loading).fetch(c.req.raw, c.env);
  });
}

export function isDashboardBuilt(): boolean {
  return existsSync(join(FOLDER, 'server', 'index.js'));
}

/** Without one, returns null and logs how to make it. */
export function findDashboardBuild(log: Log): DashboardBuild | null {
  if (isDashboardBuilt()) return openBuildFolder(FOLDER);
  log.warn('dashboard.not-built', { folder: FOLDER, remedy: 'npm start builds it' });
  return null;
}
