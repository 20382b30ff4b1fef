import { StoreError, TLS_CODES } from '../database/errors.ts';

/** By code and message: meaning and next step. */
const MEANINGS: readonly (readonly [fault: RegExp, what: string, remedy: string])[] = [
  [
    /^28.*pg_hba\.conf/,
    'does not let this user in',
    'add a line for it to pg_hba.conf; if that only accepts encrypted connections, add ?sslmode=verify-full to DATABASE_URL',
  ],
  [/^(28|SASL: )/, 'does not let this user in', 'check the user and the password in DATABASE_URL'],
  [/^3D000/, 'has no such database', 'create it, or correct its name in DATABASE_URL'],
  [
    /^(42501|3F000)/,
    'does not let this user make its tables',
    'make the user the owner of the database',
  ],
  [/^25006/, 'takes no writes', 'let DATABASE_URL lead to the primary server'],
  [/^53300/, 'has no connection left', 'raise max_connections, or run fewer processes'],
  [
    /does not support SSL/,
    'offers no TLS',
    'switch it on there, or remove sslmode from DATABASE_URL',
  ],
  [
    /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)/,
    'has a certificate for another host',
    'write the name in the certificate into DATABASE_URL',
  ],
  [
    TLS_CODES,
    'has a certificate that cannot be trusted',
    "add &sslrootcert=FILE to DATABASE_URL, with the certificate of the server's authority",
  ],
  [/^53100/, 'has no room left on its disk', 'make room there'],
];

const UNREACHABLE = [
  'cannot be reached',
  'check that it runs and that DATABASE_URL leads to it',
] as const;

/** The text follows the server's name. Null for a bug of ours. */
export function explainRefusal(error: unknown): string | null {
  const { cause } = error as { cause?: unknown };
  const { code = '', message } = (cause ?? error) as { code?: string; message: string };
  const fault = code === '' ? message : `${code} ${message}`;
  const known = MEANINGS.find(([pattern]) => pattern.test(fault));
  if (known === undefined && StoreError.fromPostgres(error).code === 'STORE_FAULT') return null;
  const [what, remedy] = known?.slice(1) ?? UNREACHABLE;
  return `${what} (${message || code}); ${remedy}`;
}

export function explaining(error: unknown): unknown {
  // Without a cause it is no error of the server.
  if (!(error instanceof StoreError) || error.cause === undefined) return error;
  const refusal = explainRefusal(error);
  if (refusal === null) return error;
  return new StoreError(error.code, `Postgres ${refusal}`, { cause: error });
}
