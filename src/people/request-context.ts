import type { ProxyClaim } from './proxy-claim.ts';

/**
 * The origin of a request to sign in, reset a password and so on: its cookies, the person whom the proxy names, and the
 * address that limits count by.
 */
export interface RequestContext {
  headers: Headers;
  /** The address as §8.1 finds it, never one from a header that the client could write. */
  clientAddress: string;
  /** Whom the proxy in front says that the request is from. If it says something, no session cookie counts. */
  claim?: ProxyClaim | null;
}
