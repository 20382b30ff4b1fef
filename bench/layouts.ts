/**
 * The cost for Postgres of accepting, claiming and settling runs, under several layouts of its tables, as plain SQL:
 * `node bench/layouts.ts [--rounds 7] [--batches 60]`. All layouts take turns. The figures are medians over the rounds
 * of the processor time of the one connection and of the bytes of write-ahead log, per run.
 *
 * Each layout does what a claim of the service does: it locks the node's row, reads the queue and its team, and counts
 * the month and the day; a settlement counts the hour. `docs/decisions` says what follows from it.
 */
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { newId } from '#domain/ids';
import { type Fields, packRows, type RowOf } from '#store/database/dialect';
import { settlementOf } from './batches.ts';
import { openBenchStore } from './belfry.ts';
import { STORED_BODY, STORED_TRACE } from './bulk.ts';
import { median } from './deliveries.ts';
import {
  ACCEPTED,
  acceptSql,
  claimSql,
  ENDED,
  type Layout,
  schemaOf,
  settleAndClaimSql,
  settleSql,
} from './layout-sql.ts';
import { Places } from './place.ts';
import { backendMsSince, readBackends } from './processor-time.ts';
import { NO_LIMITS } from '#store/figures/usage';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    batches: { type: 'string', default: '60' },
  },
});
const ROUNDS = Number(values.rounds);
const BATCHES = Number(values.batches);
const BATCH = 64;
/** The number of jobs that wait all the time. */
const BACKLOG = 20_000;
const URL_OF_ALL = 'http://127.0.0.1:9/quiet';
const PAYLOAD = '{"hello":"world","n":12345}';

/** Microseconds of the server's processor and bytes of its write-ahead log, per run. */
interface Spent {
  accept: number;
  run: number;
  acceptBytes: number;
  runBytes: number;
}

interface Contestant {
  name: string;
  round(): Promise<Spent>;
  close(): Promise<void>;
}

const base = {
  claim: 'mark',
  partitioned: false,
  parameters: 'json',
  joined: false,
  keepsNothing: false,
} as const;

const inPlace = { ...base, claim: 'mark-in-place' } as const;
const taken = { ...base, claim: 'take' } as const;
const arrays = { parameters: 'arrays' } as const;

const LAYOUTS: Layout[] = [
  { ...base, name: 'A: request once, narrow table marked by a claim, outcome inserted' },
  { ...base, name: 'A, arrays', ...arrays },
  { ...base, name: 'A, outcomes partitioned', partitioned: true },
  { ...inPlace, name: 'B: as A, but the mark changes no index' },
  { ...inPlace, name: 'B, settle and claim at once', joined: true },
  { ...inPlace, name: 'B, at once, arrays', joined: true, ...arrays },
  { ...taken, name: 'C: as A, but a claim takes its rows away and writes one' },
  { ...taken, name: 'C, settle and claim at once', joined: true },
  { ...taken, name: 'C, at once, arrays', joined: true, ...arrays },
  { ...taken, name: 'C, at once, arrays, partitioned', joined: true, ...arrays, partitioned: true },
  { ...base, name: 'deletes what is done, keeps nothing', keepsNothing: true },
];

/** Measures the work of one connection in its database. */
class Meter {
  readonly #client: Client;
  readonly #database: string;

  constructor(client: Client, place: string) {
    this.#client = client;
    this.#database = new URL(place).pathname.slice(1);
  }

  async spend(runs: number, work: () => Promise<void>): Promise<[micros: number, bytes: number]> {
    const bytesBefore = await this.#written();
    const before = readBackends(this.#database);
    await work();
    const micros = (backendMsSince(before, this.#database) * 1000) / runs;
    return [micros, ((await this.#written()) - bytesBefore) / runs];
  }

  async #written(): Promise<number> {
    const { rows } = await this.#client.query<{ bytes: string }>(
      `select pg_current_wal_insert_lsn() - '0/0' as bytes`,
    );
    return Number(rows[0]?.bytes);
  }
}

async function connect(place: string): Promise<Client> {
  const client = new Client({ connectionString: place });
  await client.connect();
  // The settings of the service's connections (store/postgres/open.ts).
  await client.query('set random_page_cost = 1.1; set enable_seqscan = off; set jit = off');
  return client;
}

/** Makes a layout. Teams, queues, nodes and counters are the service's own tables; only the tables of runs are new. */
async function makeLayout(places: Places, layout: Layout): Promise<Contestant> {
  const place = await places.make('Postgres');
  const { teamId, queueId, nodeId } = await prepare(place);
  const client = await connect(place);
  for (const text of schemaOf(layout)) await client.query(text);
  const meter = new Meter(client, place);
  const run = (name: string, text: string, parameters: unknown[]) =>
    client.query<ClaimedRow>({ name, text, values: parameters });
  const accept = () =>
    run('accept', acceptSql(layout), pack(layout, ACCEPTED, newRuns(teamId, BATCH)));
  let from = 0;
  const claimParameters = () => {
    const at = new Date().toISOString();
    const when = [at.slice(0, 7), at.slice(0, 10), newId(Date.now())];
    return [queueId, nodeId, Date.now(), BATCH, from, ...when];
  };
  const settleParameters = (rows: readonly ClaimedRow[]) => [
    nodeId,
    ...pack(layout, ENDED, rows.map(endOf)),
  ];
  const keepFrom = (rows: readonly ClaimedRow[]) => {
    if (rows.length !== BATCH) throw new Error(`${layout.name}: a batch of ${rows.length}`);
    from = Math.max(...rows.map(({ due_at }) => Number(due_at)));
    return rows;
  };
  const apart = async () => {
    for (let n = 0; n < BATCHES; n++) {
      const { rows } = await run('claim', claimSql(layout), claimParameters());
      await run('settle', settleSql(layout), settleParameters(keepFrom(rows)));
    }
  };
  const joined = async () => {
    let held: readonly ClaimedRow[] = [];
    for (let n = 0; n <= BATCHES; n++) {
      const parameters = [...claimParameters(), ...settleParameters(held)];
      held = keepFrom((await run('both', settleAndClaimSql(layout), parameters)).rows);
    }
    await run('settle', settleSql(layout), settleParameters(held));
  };
  for (let n = 0; n < BACKLOG / BATCH; n++) await accept();
  await client.query('vacuum analyze');
  const measured = meterRounds(
    meter,
    async () => void (await accept()),
    layout.joined ? joined : apart,
  );
  const batches = layout.joined ? BATCHES + 1 : BATCHES;
  return { name: layout.name, round: () => measured(batches), close: () => client.end() };
}

function meterRounds(meter: Meter, accept: () => Promise<void>, pass: () => Promise<void>) {
  return async (batches: number): Promise<Spent> => {
    const runs = batches * BATCH;
    const [accepting, acceptBytes] = await meter.spend(runs, async () => {
      for (let n = 0; n < batches; n++) await accept();
    });
    const [run, runBytes] = await meter.spend(runs, pass);
    return { accept: accepting, run, acceptBytes, runBytes };
  };
}

interface ClaimedRow {
  team_id: string;
  id: string;
  request_id: string;
  attempt_number: number;
  queue_id: string;
  due_at: string;
  claim_id: string;
}

function endOf(row: ClaimedRow): RowOf<typeof ENDED> {
  const body = Buffer.from(STORED_BODY);
  return {
    ...row,
    due_at: Number(row.due_at),
    status: 'success',
    started_at: Date.now(),
    completed_at: Date.now(),
    response_status: 200,
    reason: null,
    error_message: null,
    duration_ms: 4,
    total_bytes: body.length,
    trace: STORED_TRACE,
    body,
  };
}

function newRuns(teamId: string, count: number): RowOf<typeof ACCEPTED>[] {
  const now = Date.now();
  return Array.from({ length: count }, () => ({
    team_id: teamId,
    id: newId(now),
    queue: 'layouts',
    method: 'POST',
    url: URL_OF_ALL,
    callback_url: null,
    created_at: now,
    due_at: now,
    sealed_headers: null,
    payload: PAYLOAD,
  }));
}

function pack<F extends Fields>(
  { parameters }: Layout,
  fields: F,
  rows: readonly RowOf<F>[],
): unknown[] {
  if (parameters === 'json') return [packRows(fields, rows)];
  return Object.keys(fields).map((name) => rows.map((row) => row[name] as unknown));
}

async function prepare(place: string) {
  const store = await openBenchStore(place);
  const now = store.clock.now();
  const { id: teamId } = await store.teams.create('Bench', 'unlimited', now);
  const { id: queueId } = await store.queues.save(teamId, 'layouts', {}, now);
  const nodeId = await store.nodes.join(now, 24 * 3_600_000);
  await store.close();
  return { teamId, queueId, nodeId };
}

/** The present tables with the present statements of the store. */
async function makeToday(places: Places): Promise<Contestant> {
  const place = await places.make('Postgres');
  const { teamId, queueId, nodeId } = await prepare(place);
  const store = await openBenchStore(place);
  const { runs } = store.forEngine;
  const client = await connect(place);
  const rest = { headers: [], callbackUrl: null, delaySeconds: 0 };
  const request = { method: 'POST' as const, url: URL_OF_ALL, payload: PAYLOAD };
  const job = { teamId, queue: 'layouts', ...request, ...rest };
  const accept = async () =>
    void (await Promise.all(Array.from({ length: BATCH }, () => store.jobs.accept(job))));
  let from = 0;
  const pass = async () => {
    for (let n = 0; n < BATCHES; n++) {
      const claimant = { nodeId, now: store.clock.now(), limits: NO_LIMITS };
      const { claimed, flows } = await runs.claimJobs(
        [{ id: queueId, slots: BATCH, from }],
        claimant,
      );
      if (claimed.length !== BATCH) throw new Error(`today: a batch of ${claimed.length}`);
      from = flows[0]?.nextDueAt ?? from;
      await Promise.all(claimed.map((each) => runs.settle(nodeId, settlementOf(store, each))));
    }
  };
  for (let n = 0; n < BACKLOG / BATCH; n++) await accept();
  await client.query('vacuum analyze');
  const measured = meterRounds(new Meter(client, place), accept, pass);
  const close = async () => {
    await client.end();
    await store.close();
  };
  return { name: 'today', round: () => measured(BATCHES), close };
}

function report(contestants: readonly Contestant[], spent: readonly Spent[][]): void {
  const of = (all: readonly Spent[], what: keyof Spent) => median(all.map((each) => each[what]));
  const head = [
    '',
    'accept',
    'claim and settle',
    'of today',
    'WAL: accept',
    'WAL: claim and settle',
  ];
  say(`| ${head.join(' | ')} |`);
  say('| --- | ---: | ---: | ---: | ---: | ---: |');
  const today = spent[0] ?? [];
  for (const [n, { name }] of contestants.entries()) {
    const all = spent[n] ?? [];
    const micros = (['accept', 'run'] as const).map((what) => `${of(all, what).toFixed(1)} µs`);
    const bytes = (['acceptBytes', 'runBytes'] as const).map(
      (what) => `${of(all, what).toFixed(0)} B`,
    );
    const ratio = median(all.map(({ run }, turn) => run / (today[turn]?.run ?? Number.NaN)));
    say(`| ${[name, ...micros, ratio.toFixed(2), ...bytes].join(' | ')} |`);
  }
}

const say = (line: string) => void process.stdout.write(`${line}\n`);

const places = new Places();
const contestants: Contestant[] = [];
try {
  contestants.push(await makeToday(places));
  for (const layout of LAYOUTS) contestants.push(await makeLayout(places, layout));
  const spent: Spent[][] = contestants.map(() => []);
  for (let turn = 0; turn <= ROUNDS; turn++) {
    for (const [n, each] of contestants.entries()) {
      const round = await each.round();
      // The first round prepares statements and fills caches.
      if (turn > 0) spent[n]?.push(round);
    }
  }
  report(contestants, spent);
} finally {
  for (const each of contestants) await each.close();
  await places.close();
}
