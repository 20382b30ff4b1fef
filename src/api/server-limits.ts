import type { ServerOptions } from 'node:http';

/**
 * Bounds on what a connection may cost before a handler sees its request; for `createServer`.
 *
 * Headers within 10 s and 16 KiB, a whole request within 30 s. The two endpoints bound their bodies more
 * tightly themselves (`BODY_WITHIN_MS`), because only a handler can answer in JSON.
 */
export const httpServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
} as const satisfies ServerOptions;
