/** Requests as commands to paste into a POSIX shell. */
import type { HeaderList } from './exchange.ts';
import { formatHeaderJson } from './header-json.ts';

interface CommandRequest {
  method: string;
  url: string;
  headers: HeaderList;
  /** Null for a request without a body. */
  body: string | null;
}

/** Puts a text in single quotes, in which a shell treats no other character specially. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The request as one curl command, with options that switch off curl's additions. */
export function writeCurl({ method, url, headers, body }: CommandRequest): string {
  const parts = [`curl --globoff --request ${method} ${quoteForShell(url)}`];
  for (const [name, value] of headers) {
    // curl drops a header without a value, unless its name ends in a semicolon.
    parts.push(`--header ${quoteForShell(value === '' ? `${name};` : `${name}: ${value}`)}`);
  }
  if (body !== null) parts.push(`--data-raw ${quoteForShell(body)}`);
  return parts.join(' \\\n  ');
}

export interface ApiJob {
  queue: string;
  url: string;
  method: string;
  headers: HeaderList;
  /** JSON text, or null. */
  payload: string | null;
  callbackUrl: string | null;
}

/**
 * A curl command for the call of `POST /api/jobs` that makes the same job. The token and the service's address are
 * left to fill in.
 */
export function writeJobCall(job: ApiJob): string {
  return writeCall('/api/jobs', [
    ['queue', JSON.stringify(job.queue)],
    ['url', JSON.stringify(job.url)],
    ['method', JSON.stringify(job.method)],
    ['headers', job.headers.length > 0 ? formatHeaderJson(job.headers) : null],
    ['payload', job.payload],
    ['callback_url', job.callbackUrl === null ? null : JSON.stringify(job.callbackUrl)],
  ]);
}

interface ApiCron extends Omit<ApiJob, 'queue'> {
  name: string;
  cronExpression: string;
  timeoutSeconds: number;
}

/** A curl command for the call of `POST /api/crons` that makes the same cron. */
export function writeCronCall(cron: ApiCron): string {
  return writeCall('/api/crons', [
    ['name', JSON.stringify(cron.name)],
    ['url', JSON.stringify(cron.url)],
    ['cron_expression', JSON.stringify(cron.cronExpression)],
    ['method', JSON.stringify(cron.method)],
    ['headers', cron.headers.length > 0 ? formatHeaderJson(cron.headers) : null],
    ['payload', cron.payload === null ? null : JSON.stringify(cron.payload)],
    ['callback_url', cron.callbackUrl === null ? null : JSON.stringify(cron.callbackUrl)],
    ['timeout_seconds', String(cron.timeoutSeconds)],
  ]);
}

type Member = readonly [name: string, json: string | null];

function writeCall(path: string, members: readonly Member[]): string {
  const given = members.filter(([, json]) => json !== null);
  const body = `{${given.map(([name, json]) => `${JSON.stringify(name)}: ${json}`).join(', ')}}`;
  return [
    `curl --request POST "$BASE_URL${path}"`,
    '--header "Authorization: Bearer $API_TOKEN"',
    "--header 'Content-Type: application/json'",
    "--header 'Accept: application/json'",
    `--data-raw ${quoteForShell(body)}`,
  ].join(' \\\n  ');
}
