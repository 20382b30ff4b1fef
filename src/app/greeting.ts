import type { DatabaseLocation } from '#config/config';
import type { FirstAccount } from '#people/registrations';

/** The lines printed for an operator at a terminal. */
interface Greeting {
  /** The address at which this process listens. */
  address: string;
  /** The public address, where the first account is made. */
  baseUrl: string;
  database: DatabaseLocation;
  /** Null if there is an account already. */
  firstAccount: FirstAccount | null;
}

/** The lines for people at a terminal. The log has the same facts as events. */
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

/** The location of the database, without the user and password of a Postgres address. */
function describePlace(database: DatabaseLocation): string {
  if (database.kind === 'sqlite') return database.path;
  if (database.kind === 'sqlite-memory') return 'in memory, gone when the service stops';
  const { host, pathname } = new URL(database.url);
  const schema = database.schema === undefined ? '' : `, schema ${database.schema}`;
  return `Postgres ${host}${pathname}${schema}`;
}
