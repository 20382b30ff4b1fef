import { createHash, timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import type { Registry } from 'prom-client';
import { readArrival } from '#api/client-address';
import { isLocal } from '#domain/http/arrival';

/**
 * Without a token it answers only local requests to a loopback name, and none if other machines are meant to reach the
 * service.
 */
export function createMetricsPage(
  registry: Registry,
  { token, servesLoopbackOnly }: { token: string | null; servesLoopbackOnly: boolean },
): Hono<{ Bindings: HttpBindings }> {
  const expected = token === null ? null : digest(`Bearer ${token}`);
  return new Hono<{ Bindings: HttpBindings }>().get('/metrics', async (c) => {
    if (expected === null && !(servesLoopbackOnly && isLocal(readArrival(c.env.incoming)))) {
      return c.json({ error: UNSET }, 403);
    }
    const given = digest(c.req.header('Authorization') ?? '');
    if (expected && !timingSafeEqual(given, expected)) {
      return c.json({ error: 'The metrics token is missing or wrong.' }, 401, {
        'WWW-Authenticate': 'Bearer',
      });
    }
    return c.body(await registry.metrics(), 200, { 'Content-Type': registry.contentType });
  });
}

const UNSET =
  'Without METRICS_TOKEN, only requests on this machine get metrics, and none if HOST or BASE_URL lets other machines in. Set METRICS_TOKEN and send it as a bearer token.';

/** Equally long, so the comparison's duration reveals nothing. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
