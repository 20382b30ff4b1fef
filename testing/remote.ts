import { type BelfryProcess, type CommandResult, eventually } from './process.ts';
import { type Answer, postJson } from './client.ts';
import { openRows } from './rows.ts';
import { PASSWORD } from './users.ts';
import { Visitor } from './visitor.ts';
import { LONG_WAIT_LIMIT_MS } from './limits.ts';

export const TEAM = 'Bell ringers';
const USER = { email: 'ada@example.com', password: PASSWORD };

export interface PrintedJob {
  id: string;
  original_id: string;
  status: string;
  attempt_number: number;
  url: string;
  scheduled_at: string;
  started_at: string | null;
  completed_at: string | null;
  response_status: number | null;
  reason: string | null;
  error_message: string | null;
}

export interface Client {
  token: string;
  teamId: string;
  /** POSTs JSON; rejects if no whole answer came. */
  post(path: string, body: object): Promise<Answer>;
}

/** A user of `TEAM`, in whose name the client calls the API. */
export async function makeClient(belfry: BelfryProcess): Promise<Client> {
  const user = ['--email', USER.email, '--password', USER.password];
  const made = await belfry.cli('user', 'create', ...user, '--team', TEAM);
  const { apiToken, teamId } = read<{ apiToken: string; teamId: string }>(made);
  return { ...clientOf(belfry, apiToken), teamId };
}

export function visitorOf({ url }: BelfryProcess): Visitor {
  return new Visitor(url, `http://localhost:${new URL(url).port}`);
}

/** The user whom `makeClient` made, at a browser. */
export async function signIn(belfry: BelfryProcess): Promise<Visitor> {
  const visitor = visitorOf(belfry);
  const { status } = await visitor.post('/login', USER);
  if (status !== 302) throw new Error(`the login was answered ${status}`);
  return visitor;
}

/** A client of a restarted service with the token it had before. */
export function clientOf({ url }: BelfryProcess, token: string): Omit<Client, 'teamId'> {
  return { token, post: (path, body) => postJson(`${url}${path}`, token, body) };
}

export async function postJob(client: Pick<Client, 'post'>, body: object): Promise<string> {
  const { status, json } = await client.post('/api/jobs', { queue: 'emails', ...body });
  if (status !== 201) throw new Error(`a job was answered ${status}: ${JSON.stringify(json)}`);
  return String(json['job_id']);
}

/** Sets a queue of `TEAM` as `queue set` does. */
export async function setQueue(belfry: BelfryProcess, name: string, ...settings: string[]) {
  read(await belfry.cli('queue', 'set', '--team', TEAM, '--queue', name, ...settings));
}

/** What doctor finds in one of its checks. */
export async function readFinding(belfry: BelfryProcess, check: string) {
  const { json } = await belfry.cli('doctor');
  const findings = json as { check: string; status: string; message: string }[];
  return findings.find((finding) => finding.check === check);
}

export async function showJob(belfry: BelfryProcess, id: string): Promise<PrintedJob> {
  return read<PrintedJob>(await belfry.cli('job', 'show', '--id', id));
}

export async function listJobs(belfry: BelfryProcess): Promise<PrintedJob[]> {
  const listed = await belfry.cli('job', 'list', '--team', TEAM, '--limit', '10000');
  return read<PrintedJob[]>(listed);
}

/** Waits until these jobs have succeeded, each at its first attempt. */
export function untilSucceeded(belfry: WithDatabase, ids: readonly string[]): Promise<void> {
  return untilAllEnded(belfry, ids, `and status = 'success'`);
}

/** Waits until these jobs have ended, in whatever way. */
export function untilEnded(belfry: WithDatabase, ids: readonly string[]): Promise<void> {
  return untilAllEnded(belfry, ids, '');
}

type WithDatabase = Pick<BelfryProcess, 'databaseUrl'>;

/** Asks the database: a command would start a process for each try. */
async function untilAllEnded({ databaseUrl }: WithDatabase, ids: readonly string[], how: string) {
  await using rows = await openRows(databaseUrl);
  const list = ids.map((id) => `'${id}'`).join();
  const text = `select count(*) as number from ended_jobs where id in (${list}) ${how}`;
  await eventually(
    async () =>
      Number((await rows.all<{ number: number | string }>(text))[0]?.number) === ids.length,
    { withinMs: LONG_WAIT_LIMIT_MS, everyMs: 50, what: `${ids.length} from ${text}` },
  );
}

function read<Printed>({ code, json, stderr }: CommandResult): Printed {
  if (code !== 0) throw new Error(`the command ended with ${code}: ${stderr}`);
  return json as Printed;
}
