import type { ServerOptions } from 'node:http';

/**
 * Before a handler: headers have 10 s and 16 KiB, a request 30 s. The endpoints limit bodies further
 * (`BODY_WITHIN_MS`), because only a handler can answer in JSON.
 */
export const httpServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  // Longer than clients and proxies keep idle connections (Caddy: 120 s). Otherwise a request may meet the end of its
  // connection, and a POST isn't repeated.
  keepAliveTimeout: 130_000,
  maxHeaderSize: 16 * 1024,
} as const satisfies ServerOptions;
