import type { ProxyClaim } from './proxy-claim.ts';

export interface RequestContext {
  headers: Headers;
  /** By §8.1, never from a header that the client could write. */
  clientAddress: string;
  /** If it names a user, the session cookie is ignored. */
  claim?: ProxyClaim | null;
}
