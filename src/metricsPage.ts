import { createHash, timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import type { Registry } from 'prom-client';

/**
 * `GET /metrics` in Prometheus' text format.
 *
 * @param token  what has to come as a bearer token; null leaves the page open
 */
export function createMetricsPage(registry: Registry, token: string | null): Hono {
  const expected = token === null ? null : digest(`Bearer ${token}`);
  return new Hono().get('/metrics', async (c) => {
    const given = digest(c.req.header('Authorization') ?? '');
    if (expected && !timingSafeEqual(given, expected)) {
      return c.json({ error: 'The metrics token is missing or wrong.' }, 401, {
        'WWW-Authenticate': 'Bearer',
      });
    }
    return c.body(await registry.metrics(), 200, { 'Content-Type': registry.contentType });
  });
}

/** Equal lengths, so that the comparison tells nothing by its time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
