import type { ServerOptions } from 'node:http';

/**
 * Limits on the cost of a connection before a handler sees its request, as options of `createServer`.
 *
 * Headers: 10 s and 16 KiB; a whole request: 30 s. The two endpoints limit their bodies further (`BODY_WITHIN_MS`),
 * because only a handler can answer in JSON.
 */
export const httpServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  // Longer than clients and proxies keep idle connections (Caddy: 120 s). Otherwise a request may meet the end of its
  // connection, and a POST is not sent again.
  keepAliveTimeout: 130_000,
  maxHeaderSize: 16 * 1024,
} as const satisfies ServerOptions;
