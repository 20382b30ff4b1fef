import type { DatabaseLocation } from '#config/config';
import type { FirstAccount } from '#people/registrations';

/** For a terminal; the log has the same facts as events. */
interface Greeting {
  address: string;
  baseUrl: string;
  database: DatabaseLocation;
  /** Null if there is an account. */
  firstAccount: FirstAccount | null;
}

export function writeGreeting({ address, baseUrl, database, firstAccount }: Greeting): string {
  const lines = [`belfry is ready at ${address}`, `  data: ${describePlace(database)}`];
  if (firstAccount !== null) {
    const { code, isCodeAlwaysAsked } = firstAccount;
    const how = isCodeAlwaysAsked ? ` with the code ${code}` : '';
    lines.push(`  next: make the first account at ${baseUrl}/setup${how}`);
    if (!isCodeAlwaysAsked) lines.push(`  setup code, if the page asks for it: ${code}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Without user and password. */
function describePlace(database: DatabaseLocation): string {
  if (database.kind === 'sqlite') return database.path;
  if (database.kind === 'sqlite-memory') return 'in memory, gone when the service stops';
  const { host, pathname } = new URL(database.url);
  const schema = database.schema === undefined ? '' : `, schema ${database.schema}`;
  return `Postgres ${host}${pathname}${schema}`;
}
