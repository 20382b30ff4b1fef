import { StoreError } from '../database/errors.ts';

/** By SQLSTATE or class: meaning and next step. */
const MEANINGS: readonly (readonly [state: RegExp, what: string, remedy: string])[] = [
  [/^28/, 'does not let this user in', 'check the user and the password in DATABASE_URL'],
  [/^3D000/, 'has no such database', 'create it, or correct its name in DATABASE_URL'],
  [
    /^(42501|3F000)/,
    'does not let this user make its tables',
    'make the user the owner of the database',
  ],
  [/^25006/, 'takes no writes', 'let DATABASE_URL lead to the primary server'],
  [/^53300/, 'has no connection left', 'raise max_connections, or run fewer processes'],
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
  const known = MEANINGS.find(([state]) => state.test(code));
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
