import type { Configuration } from 'openid-client';
import type * as Library from 'openid-client';
import { readGroupsClaim } from './groups.ts';

export interface ProviderSettings {
  /** OpenID Connect Discovery 1.0. */
  issuer: string;
  clientId: string;
  /** Null: PKCE alone protects the client. */
  clientSecret: string | null;
  name: string;
  /** Separated by spaces, with `openid`. */
  scopes: string;
  groupsClaim: string;
}

/** The operator registers it at the provider. */
const PROVIDER_RETURN_PATH = '/login/provider/back';

/** In the browser's cookie; the response is checked against it. */
export interface ProviderAttempt {
  state: string;
  nonce: string;
  verifier: string;
  /** The provider must authenticate the user again. */
  isAgain: boolean;
}

interface ProviderIdentity {
  /** Permanent at this issuer; emails change. */
  subject: string;
  /** Null if missing or not verified. */
  verifiedEmail: string | null;
  name: string | null;
  /** Null if none were sent. */
  groups: string[] | null;
}

/** The provider can't be reached, or the response is invalid (`code`). The cause is for the log. */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault';
  readonly code: 'PROVIDER_AWAY' | 'PROVIDER_REFUSED';

  constructor(code: ProviderFault['code'], cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.code = code;
  }
}

const WITHIN_SECONDS = 10;
const LONGEST_ANSWER = 1024 * 1024;
/** Of the metadata; keys are fetched again if one is unknown. */
const KNOWN_FOR_MS = 60 * 60_000;
const AGAIN_SECONDS = 10 * 60;
const CLOCK_TOLERANCE_SECONDS = 30;

type Claims = Record<string, unknown>;
type Known = { library: typeof Library; config: Configuration; until: number };

/**
 * Authorization code with PKCE, state and nonce (OpenID Connect Core 1.0, 3.1; RFC 7636) by a certified library, which
 * is loaded when first needed. The operator trusts the provider, so it may be in a private network; its responses are
 * limited in time and size.
 */
export class Provider {
  readonly settings: ProviderSettings;
  readonly #redirectUri: string;
  readonly #now: () => number;
  #known: Known | null = null;

  constructor(settings: ProviderSettings, baseUrl: string, now: () => number) {
    this.settings = settings;
    this.#redirectUri = `${baseUrl}${PROVIDER_RETURN_PATH}`;
    this.#now = now;
  }

  /** @throws ProviderFault */
  async begin(isAgain: boolean): Promise<{ url: string; attempt: ProviderAttempt }> {
    const { library, config } = await this.#discover();
    const [state, nonce] = [library.randomState(), library.randomNonce()];
    const verifier = library.randomPKCECodeVerifier();
    const url = library.buildAuthorizationUrl(config, {
      redirect_uri: this.#redirectUri,
      scope: this.settings.scopes,
      state,
      nonce,
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(isAgain && { prompt: 'login', max_age: '0' }),
    });
    return { url: url.href, attempt: { state, nonce, verifier, isAgain } };
  }

  /**
   * @param search the query of the return address
   * @throws ProviderFault
   */
  async finish(search: string, attempt: ProviderAttempt): Promise<ProviderIdentity> {
    const { library, config } = await this.#discover();
    try {
      const tokens = await library.authorizationCodeGrant(
        config,
        new URL(search, this.#redirectUri),
        {
          expectedState: attempt.state,
          expectedNonce: attempt.nonce,
          pkceCodeVerifier: attempt.verifier,
          idTokenExpected: true,
          ...(attempt.isAgain && { maxAge: AGAIN_SECONDS }),
        },
      );
      const claims = tokens.claims();
      if (!claims) throw new TypeError('there is no ID token');
      const asks = config.serverMetadata().userinfo_endpoint !== undefined;
      const more = asks ? await library.fetchUserInfo(config, tokens.access_token, claims.sub) : {};
      return readIdentity(claims, more, this.settings.groupsClaim);
    } catch (error) {
      throw asFault(error);
    }
  }

  async #discover(): Promise<Known> {
    if (this.#known !== null && this.#known.until > this.#now()) return this.#known;
    const library = await import('openid-client');
    const { issuer, clientId, clientSecret } = this.settings;
    const server = new URL(issuer);
    try {
      const config = await library.discovery(
        server,
        clientId,
        { [library.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
        clientSecret === null ? library.None() : library.ClientSecretPost(clientSecret),
        {
          timeout: WITHIN_SECONDS,
          [library.customFetch]: fetchBounded,
          execute: [
            // Otherwise the library trusts the TLS of the token endpoint alone.
            library.enableNonRepudiationChecks,
            // The setting allows http only on this machine.
            ...(server.protocol === 'http:' ? [library.allowInsecureRequests] : []),
          ],
        },
      );
      this.#known = { library, config, until: this.#now() + KNOWN_FOR_MS };
      return this.#known;
    } catch (error) {
      throw new ProviderFault('PROVIDER_AWAY', error);
    }
  }
}

/** The message of `fetch` if a connection fails; the cause says why. */
const FETCH_FAILED = 'fetch failed';

/** Follows no redirect, as the library requires. */
async function fetchBounded(url: string, options: object): Promise<Response> {
  const answer = await fetch(url, options);
  // A gateway answers like this while the provider behind it is down.
  if (answer.status >= 500) {
    await answer.body?.cancel();
    throw new TypeError(FETCH_FAILED, {
      cause: new Error(`the provider answers ${answer.status}`),
    });
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > LONGEST_ANSWER) throw new TypeError('the provider answered more than 1 MiB');
    chunks.push(chunk);
  }
  const hasBody = bytes > 0;
  const { status, headers } = answer;
  return new Response(hasBody ? Buffer.concat(chunks) : null, { status, headers });
}

/** @param more claims of the userinfo endpoint, which override the token's */
function readIdentity(token: Claims & { sub: string }, more: Claims, of: string): ProviderIdentity {
  const claims = { ...token, ...more };
  const names = [claims['name'], claims['preferred_username']];
  const name = names.find((each) => typeof each === 'string' && each.trim() !== '');
  return {
    subject: token.sub,
    verifiedEmail: findVerified([more, token]),
    name: typeof name === 'string' ? name : null,
    groups: Object.hasOwn(claims, of) ? readGroupsClaim(claims[of]) : null,
  };
}

/** The first email that is marked as verified. */
function findVerified(all: readonly Claims[]): string | null {
  const email = all.find((claims) => claims['email'] !== undefined)?.['email'];
  if (typeof email !== 'string') return null;
  const { email_verified: isVerified } =
    all.find(
      (claims) => claims['email_verified'] !== undefined && (claims['email'] ?? email) === email,
    ) ?? {};
  // Some providers write booleans as text.
  return isVerified === true || isVerified === 'true' ? email : null;
}

function asFault(error: unknown): ProviderFault {
  const { code } = (error ?? {}) as { code?: unknown };
  const isAway =
    code === 'OAUTH_TIMEOUT' || (error instanceof TypeError && error.message === FETCH_FAILED);
  return new ProviderFault(isAway ? 'PROVIDER_AWAY' : 'PROVIDER_REFUSED', error);
}
