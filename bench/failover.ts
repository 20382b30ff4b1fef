/**
 * The effect on jobs when the primary of a Postgres dies and its standby is promoted: `node bench/failover.ts [--rate
 * 100] [--seconds 60]`. Once with a standby that confirms each commit (`synchronous_standby_names`), once with an
 * asynchronous one. The service uses one address for the database, as with a proxy or a name that is moved.
 */
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { startPostgres } from '#testing/postgres';
import { startBelfry } from '#testing/process';
import { makeClient } from '#testing/remote';
import { openPoster } from './soak.ts';
import { startTarget } from './target.ts';

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '60' },
  },
});
const RATE = Number(values.rate);
const SECONDS = Number(values.seconds);
/** The time between the primary's end and the promotion: what a failover manager takes to be sure. */
const NOTICED_AFTER_MS = 3_000;
/** After the last job was posted. */
const LAST_ONES_MS = 30_000;
const LOOK_EVERY_MS = 50;

/** One address before two servers. */
async function startSwitch(port: number) {
  const open = new Set<net.Socket>();
  let current = port;
  const server = net.createServer((client) => {
    const onward = net.connect(current, '127.0.0.1');
    for (const [one, other] of [
      [client, onward],
      [onward, client],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one
        .on('error', () => {})
        .on('close', () => {
          open.delete(one);
          other.destroy();
        });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as net.AddressInfo).port,
    turnTo: (next: number) => {
      current = next;
      for (const socket of open) socket.destroy();
    },
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

async function ask(port: number, text: string): Promise<Record<string, unknown> | undefined> {
  const client = new Client({ connectionString: `postgres://postgres@127.0.0.1:${port}/postgres` });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(text);
  await client.end();
  return rows[0];
}

async function untilFollowed(port: number, state: 'sync' | 'async'): Promise<void> {
  for (;;) {
    const text = `select count(*)::int as number from pg_stat_replication where state = 'streaming' and sync_state = '${state}'`;
    if ((await ask(port, text))?.['number'] === 1) return;
    await delay(LOOK_EVERY_MS);
  }
}

async function measure(confirms: boolean): Promise<void> {
  await using primary = await startPostgres({ durable: true });
  await using standby = await startPostgres({ durable: true, standbyOf: primary.port });
  if (confirms) {
    await ask(primary.port, `alter system set synchronous_standby_names = '*'`);
    await ask(primary.port, 'select pg_reload_conf()');
  }
  await untilFollowed(primary.port, confirms ? 'sync' : 'async');
  const address = await startSwitch(primary.port);
  const target = await startTarget();
  const databaseUrl = `postgres://postgres@127.0.0.1:${address.port}/postgres`;
  const env = { PLANS: 'unlimited=unlimited', LOG_LEVEL: 'warn' };
  await using belfry = await startBelfry({ databaseUrl, env });
  const client = await makeClient(belfry);
  await using poster = openPoster({ url: belfry.url, token: client.token }, target);
  const posting = poster.postFor(SECONDS * 1000, RATE);
  const gaps = watchGaps(() => poster.counted.accepted);
  await delay((SECONDS * 1000) / 3);
  await primary.crash();
  await delay(NOTICED_AFTER_MS);
  const promotedFrom = performance.now();
  await ask(standby.port, 'select pg_promote()');
  address.turnTo(standby.port);
  const promotionMs = performance.now() - promotedFrom;
  await posting;
  const longestGapMs = gaps.stop();
  await delay(LAST_ONES_MS);
  const late = await poster.takeLate();
  const { posted, accepted, refused, twice } = poster.counted;
  const figures = [
    `${posted} posted, ${accepted} accepted, ${refused} refused`,
    `${poster.countMissing()} accepted ones did not arrive, ${twice} arrived twice`,
    `nothing accepted for ${longestGapMs.toFixed(0)} ms (${NOTICED_AFTER_MS} until the promotion, ${promotionMs.toFixed(0)} for it)`,
    `lateness at most ${(late.at(-1) ?? Number.NaN).toFixed(0)} ms`,
  ];
  process.stdout.write(
    `${confirms ? 'a standby that confirms' : 'a standby that follows'}: ${figures.join('; ')}\n`,
  );
  client.close();
  target.close();
  await belfry.stop();
  address.close();
}

/** Measures the longest time during which a count did not grow. */
function watchGaps(count: () => number) {
  let [last, since, longest] = [count(), performance.now(), 0];
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - since);
    if (count() === last) return;
    [last, since] = [count(), performance.now()];
  }, LOOK_EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return longest;
    },
  };
}

await measure(true);
await measure(false);
process.exit(0);
