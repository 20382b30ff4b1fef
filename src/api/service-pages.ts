import { Hono } from 'hono';
import { buildOpenApi } from './openapi.ts';

/** `doctor` finds out whose `/healthz` answers. */
export const INSTALLATION_HEADER = 'X-Belfry-Installation';
const NO_STORE = { 'Cache-Control': 'no-store' };

interface ServicePagesDeps {
  /** A rejection counts as no. */
  isReady(): Promise<boolean>;
  /** The id of the installation, so that a monitor can tell installations apart. */
  installation: string;
  baseUrl: string;
}

/** `/healthz`, `/readyz` and `/openapi.json`. */
export function createServicePages(deps: ServicePagesDeps): Hono {
  const openApi = JSON.stringify(buildOpenApi(deps.baseUrl));
  return new Hono()
    .get('/healthz', (c) =>
      c.json({ status: 'ok' }, 200, { ...NO_STORE, [INSTALLATION_HEADER]: deps.installation }),
    )
    .get('/readyz', async (c) => {
      const ready = await deps.isReady().catch(() => false);
      if (ready) return c.json({ status: 'ready' }, 200, NO_STORE);
      return c.json({ status: 'unavailable' }, 503, { ...NO_STORE, 'Retry-After': '5' });
    })
    .get('/openapi.json', (c) => c.body(openApi, 200, { 'Content-Type': 'application/json' }));
}

/** Until the service has started: alive, but not ready. */
export function createStartingPages(): Hono {
  return new Hono()
    .get('/healthz', (c) => c.json({ status: 'ok' }, 200, NO_STORE))
    .all('*', (c) => c.json({ status: 'starting' }, 503, { ...NO_STORE, 'Retry-After': '1' }));
}
