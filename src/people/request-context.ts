import type { ProxyClaim } from './proxy-claim.ts';

/**
 * The origin of a request: its cookies, the user whom the proxy names, and the address that limits count by.
 */
export interface RequestContext {
  headers: Headers;
  /** The address as §8.1 finds it, never one from a header that the client could write. */
  clientAddress: string;
  /** The user whom the proxy in front names. If it names one, the session cookie is ignored. */
  claim?: ProxyClaim | null;
}
