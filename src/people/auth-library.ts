import { createAuthEndpoint } from '@better-auth/core/api';
import { APIError } from '@better-auth/core/error';
import { passkey } from '@better-auth/passkey';
import { setSessionCookie } from 'better-auth/cookies';
import { betterAuth } from 'better-auth/minimal';
import { twoFactor } from 'better-auth/plugins/two-factor';
import type { BetterAuthPlugin } from 'better-auth';
import type { Clock } from '#domain/clock';
import { newId } from '#domain/ids';
import type { Log } from '#domain/log';
import { cookieScopeOf } from '#domain/public-address';
import type { Store } from '#store/store';
import { createAuthLibraryAdapter } from './auth-library-adapter.ts';
import type { Passwords } from './passwords.ts';
import { relyingPartyOf } from './relying-party.ts';
import { deriveSecret } from './secrets.ts';

/** Overwritten with the client's address as §8.1 finds it, so that no client can choose its own. */
export const ADDRESS_HEADER = 'x-belfry-client-address';

export interface AuthLibraryDeps {
  store: Pick<Store, 'authRecords'>;
  clock: Clock;
  log: Log;
  passwords: Passwords;
  baseUrl: string;
  appKey: Uint8Array;
}

const DAY_SECONDS = 24 * 60 * 60;

/**
 * The auth library: sessions, their cookies, and second factors. It takes a quarter of a second and
 * 50 MB to load, so only auth-library-loader.ts imports this file, when somebody first comes with a session.
 *
 * None of its HTTP addresses are served: it is called as functions, and `Limits` counts before each call
 * what its own limits would count (they act in its HTTP handler only).
 */
export function createAuthLibrary({
  store,
  clock,
  log,
  passwords,
  baseUrl,
  appKey,
}: AuthLibraryDeps) {
  const { prefix, path, isSecure } = cookieScopeOf(baseUrl);
  return betterAuth({
    appName: 'Belfry',
    baseURL: new URL(baseUrl).origin,
    // This path is never served. If it ever were, it would not be below the API (§4.3).
    basePath: '/accounts-library',
    secret: deriveSecret(appKey, 'belfry accounts'),
    database: createAuthLibraryAdapter(store.authRecords),
    telemetry: { enabled: false },
    rateLimit: { enabled: true, storage: 'memory' },
    logger: {
      level: 'error',
      log: (level, message) => {
        if (level === 'error') log.error('accounts.library', { message });
      },
    },
    advanced: {
      // The library can only add a prefix of its own to cookie names (`useSecureCookies`), so our prefix is part of the
      // name here, with the attributes that it requires.
      cookiePrefix: `${prefix}belfry`,
      useSecureCookies: false,
      defaultCookieAttributes: { secure: isSecure, path },
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: { generateId: () => newId(clock.now()) },
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      autoSignIn: false,
      minPasswordLength: 1,
      // The limit that counts is in fields.ts. This one is in UTF-16 units, enough for 128 characters.
      maxPasswordLength: 512,
      password: {
        hash: (password) => passwords.hash(password),
        verify: ({ hash, password }) => passwords.verify(password, hash),
      },
    },
    ...TABLES,
    plugins: [
      twoFactor({
        issuer: 'Belfry',
        schema: SECOND_FACTOR_TABLES,
      }),
      passkeysFor(baseUrl),
      sessionsForKnown,
    ],
  });
}

/** Opens a session for somebody who is known by other means. Like all of the library it is called as a function only. */
const sessionsForKnown = {
  id: 'belfry-known',
  endpoints: {
    openSession: createAuthEndpoint(
      '/belfry/open-session',
      {
        method: 'POST',
        metadata: { SERVER_ONLY: true, $Infer: { body: {} as { userId: string } } },
      },
      async (ctx) => {
        const { internalAdapter } = ctx.context;
        const user = await internalAdapter.findUserById(ctx.body.userId);
        if (!user) throw new APIError('BAD_REQUEST', { code: 'USER_NOT_FOUND' });
        const session = await internalAdapter.createSession(user.id);
        await setSessionCookie(ctx, { session, user });
        return ctx.json({ sessionId: session.id });
      },
    ),
  },
} satisfies BetterAuthPlugin;

/** A passkey stands for two factors, so the device has to have asked its owner for one of them each time. */
function passkeysFor(baseUrl: string) {
  const party = relyingPartyOf(baseUrl);
  const insist = (isVerified: boolean | undefined) => {
    if (isVerified !== true) throw new APIError('BAD_REQUEST', { code: 'USER_NOT_VERIFIED' });
  };
  return passkey({
    rpName: 'Belfry',
    rpID: party?.id ?? 'localhost',
    origin: party?.origin ?? baseUrl,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    registration: {
      afterVerification: ({ verification }) => insist(verification.registrationInfo?.userVerified),
    },
    authentication: {
      afterVerification: ({ verification }) => insist(verification.authenticationInfo.userVerified),
    },
    advanced: { webAuthnChallengeCookie: 'passkey' },
    schema: PASSKEY_TABLES,
  });
}

const TIMES = { createdAt: 'created_at', updatedAt: 'updated_at' } as const;

/** Our names for the library's tables and columns. */
const TABLES = {
  user: { modelName: 'users', fields: { emailVerified: 'email_verified', ...TIMES } },
  session: {
    modelName: 'sessions',
    expiresIn: 14 * DAY_SECONDS,
    updateAge: DAY_SECONDS,
    // Sensitive actions ask for the password whatever the age of the session (see reauthentication.ts).
    freshAge: 0,
    cookieCache: { enabled: false },
    fields: {
      token: 'token_hash',
      userId: 'user_id',
      expiresAt: 'expires_at',
      ipAddress: 'ip_address',
      userAgent: 'user_agent',
      ...TIMES,
    },
  },
  account: {
    modelName: 'accounts',
    fields: {
      userId: 'user_id',
      providerId: 'provider_id',
      accountId: 'account_id',
      accessToken: 'access_token',
      refreshToken: 'refresh_token',
      idToken: 'id_token',
      accessTokenExpiresAt: 'access_token_expires_at',
      refreshTokenExpiresAt: 'refresh_token_expires_at',
      ...TIMES,
    },
  },
  verification: {
    modelName: 'verifications',
    storeIdentifier: 'hashed',
    fields: { expiresAt: 'expires_at', ...TIMES },
  },
} as const;

const SECOND_FACTOR_TABLES = {
  user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
  twoFactor: {
    modelName: 'two_factors',
    fields: {
      userId: 'user_id',
      backupCodes: 'backup_codes',
      failedVerificationCount: 'failed_verification_count',
      lockedUntil: 'locked_until',
    },
  },
} as const;

const PASSKEY_TABLES = {
  passkey: {
    modelName: 'passkeys',
    fields: {
      userId: 'user_id',
      credentialID: 'credential_id',
      publicKey: 'public_key',
      deviceType: 'device_type',
      backedUp: 'backed_up',
      createdAt: 'created_at',
    },
  },
} as const;

export type AuthLibrary = ReturnType<typeof createAuthLibrary>;
