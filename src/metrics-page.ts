import { createHash, timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import type { Registry } from 'prom-client';
import { ADDRESS_HEADERS } from './forwarding.ts';

/**
 * `GET /metrics` in Prometheus' text format.
 *
 * Without a token it answers requests from this machine only: it refuses if the service listens beyond loopback, or
 * if a proxy has forwarded the request.
 */
export function createMetricsPage(
  registry: Registry,
  { token, onLoopback }: { token: string | null; onLoopback: boolean },
): Hono {
  const expected = token === null ? null : digest(`Bearer ${token}`);
  return new Hono().get('/metrics', async (c) => {
    const isPassedOn = FORWARDED.some((name) => c.req.header(name) !== undefined);
    if (expected === null && (!onLoopback || isPassedOn)) return c.json({ error: UNSET }, 403);
    const given = digest(c.req.header('Authorization') ?? '');
    if (expected && !timingSafeEqual(given, expected)) {
      return c.json({ error: 'The metrics token is missing or wrong.' }, 401, {
        'WWW-Authenticate': 'Bearer',
      });
    }
    return c.body(await registry.metrics(), 200, { 'Content-Type': registry.contentType });
  });
}

const FORWARDED = [...ADDRESS_HEADERS, 'via', 'x-forwarded-proto', 'x-forwarded-host'];
const UNSET =
  'Without a token, metrics are for the loopback address alone. Set METRICS_TOKEN and send it as a bearer token.';

/** Hashes make both texts equally long, so that the comparison's duration reveals nothing. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
