import type { Clock } from '#domain/clock';
import { SignedCookie } from './signed-cookie.ts';

/** For so long a sign-in that was asked for anew stands for the password of somebody who has none. */
const VALID_MS = 10 * 60_000;

/** Proofs that somebody has just shown anew, at the provider, who they are. One holds for one session alone. */
export class ProviderProofs {
  readonly #cookie: SignedCookie;

  constructor(deps: { clock: Clock; baseUrl: string; appKey: Uint8Array }) {
    this.#cookie = new SignedCookie(deps, { name: 'belfry_provider_again', validMs: VALID_MS });
  }

  /** A `Set-Cookie` value. */
  prove(sessionId: string): string {
    return this.#cookie.write(sessionId);
  }

  isProved(headers: Headers, sessionId: string): boolean {
    return this.#cookie.read(headers) === sessionId;
  }

  /** A `Set-Cookie` value: a sign-in that was not asked for anew proves nothing. */
  forget(): string {
    return this.#cookie.forget();
  }
}
