import type { DatabaseLocation } from './config.ts';

/** What an operator at a terminal wants to know first. */
interface Greeting {
  /** Where this process listens. */
  address: string;
  /** The public address, where the first account is made. */
  baseUrl: string;
  database: DatabaseLocation;
  /** Null once there is an account; `code` is what `/setup` asks for, null where it asks for none. */
  firstAccount: { code: string | null } | null;
}

/** The lines for people. Those that read the log get the same as events. */
export function writeGreeting({ address, baseUrl, database, firstAccount }: Greeting): string {
  const lines = [`belfry is ready at ${address}`, `  data: ${describePlace(database)}`];
  if (firstAccount !== null) {
    const code = firstAccount.code === null ? '' : ` with the code ${firstAccount.code}`;
    lines.push(`  next: make the first account at ${baseUrl}/setup${code}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Without the user and the password of a Postgres address. */
function describePlace(database: DatabaseLocation): string {
  if (database.kind === 'sqlite') return database.path;
  if (database.kind === 'sqlite-memory') return 'in memory, gone when the service stops';
  const { host, pathname } = new URL(database.url);
  const schema = database.schema === undefined ? '' : `, schema ${database.schema}`;
  return `Postgres ${host}${pathname}${schema}`;
}
