import assert from 'node:assert/strict';
import fs from 'node:fs';
import { once } from 'node:events';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { remove } from '#store/database/rows';
import type { Config } from '#config/config';
import type { Store } from '#store/store';
import {
  commandsOf,
  configOf,
  doctor,
  type Json,
  openSecondStore,
  run,
  words,
} from '#testing/command-line';
import { startDnsServer } from '#testing/dns-server';
import { aClaimedJob, aCron, aDeadLetter, aJob, aNode, aQueue } from '#testing/factories';
import { freePort } from '#testing/free-port';
import { makeGuardedFolder } from '#testing/guard';
import { createDatabase } from '#testing/postgres';
import { forEachDatabase } from '#testing/process';
import { startSmtpServer } from '#testing/smtp';
import { realClock } from './real-clock.ts';

const TWICE = /^--header: A name was given twice\.$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;

forEachDatabase((name, makeDatabaseUrl, once) => {
  let config: Config;
  let store: Store;
  let teamId: string;
  const team = ['--team', 'Acme'];

  const { printed, refused } = commandsOf(() => config);

  const NEW_USER = 'user create --email first@acme.test --password correct-horse --team Acme';

  before(async () => {
    const databaseUrl = await makeDatabaseUrl();
    config = configOf(databaseUrl, {
      PLANS: 'free=1000,pro=unlimited',
      BASE_URL: 'https://belfry.example.com',
    });
    store = await openSecondStore(config);
    const user = await printed(...words(NEW_USER));
    teamId = String(user['teamId']);
  });
  after(() => store.close());

  describe('user', () => {
    once('create prints ids and a token, and joins a team that exists', async () => {
      const user = await printed(
        ...words(
          'user create --email second@acme.test --password correct-horse --name Two --team Acme --role admin',
        ),
      );
      assert.deepEqual(Object.keys(user), ['userId', 'teamId', 'apiToken']);
      assert.equal(user['teamId'], teamId);
    });

    once('create takes the password from the environment', async () => {
      const create = words('user create --email env@acme.test --password env:ADMIN_PASSWORD');
      const withPassword = (password?: string) =>
        run(config, create, { env: { ADMIN_PASSWORD: password } });
      const missing = await withPassword();
      assert.match(missing.stderr, /--password: the environment variable .+ is not set\.\n$/);
      assert.equal((await withPassword('correct-horse')).code, 0);
    });

    once('user create never prints a password', async () => {
      const secret = 'hush-hush';
      for (const argv of [
        ['user', 'create', '--email', 'x', '--password', secret],
        ['user', 'create', '--email', 'x@y.zz', '--password', 'my', secret],
        ['user', 'create', '--email', 'x@y.zz', '--password', 'my', `--pass=${secret}`],
        [...words(NEW_USER), '--password', secret],
      ]) {
        assert.doesNotMatch(await refused(...argv), /hush/);
      }
    });
  });

  describe('team', () => {
    once('plan and list print the team with plan and usage, by name and by id', async () => {
      const expected = { id: teamId, name: 'Acme', plan: 'pro', monthly_limit: null, used: 0 };
      const plan = ['team', 'plan', ...team, '--plan', 'pro'];
      const { created_at: at, ...changed } = await printed(...plan);
      assert.deepEqual(changed, expected);
      assert.match(String(at), INSTANT);
      const listed = (await printed('team', 'list')).find(({ name }) => name === 'Acme');
      assert.deepEqual(listed, { ...expected, created_at: at });
      const back = await printed('team', 'plan', '--team', teamId, '--plan', 'free');
      assert.deepEqual([back['plan'], back['monthly_limit']], ['free', 1000]);
    });

    once('a name that two teams share is refused with both ids', async () => {
      const twins = await Promise.all(
        ['Twins', 'Twins'].map((name) => store.teams.create(name, 'free', 1)),
      );
      const [first, second] = twins.map(({ id }) => id).toSorted();
      const line = `several teams are named "Twins"; give an id: ${first}, ${second}.`;
      assert.equal(await refused(...words('team plan --plan pro --team Twins')), line);
      assert.match(
        await refused(
          ...words('user create --email twin@acme.test --password correct-horse --team Twins'),
        ),
        /^--team: Several teams have this name\. Give an id: /,
      );
      for (const { id } of twins) await remove(store.database, 'teams', { id });
    });

    once('signing-secret prints a new one, which is in force', async () => {
      const { signingSecret } = await printed('team', 'signing-secret', ...team);
      assert.equal((await store.teams.readSigningSecret(teamId))?.secret, signingSecret);
      const { signingSecret: next } = await printed('team', 'signing-secret', ...team);
      assert.notEqual(next, signingSecret);
    });
  });

  once('queue set makes a queue of defaults and changes given settings', async () => {
    const set = ['queue', 'set', ...team, '--queue', 'mails'];
    const made = await printed(...set);
    assert.match(String(made['created_at']), INSTANT);
    const options = '--retries 1s,2m --concurrency 3 --rate 90/min --pause --email-alerts on';
    const expected = {
      retry_schedule: [1, 120],
      concurrency_limit: 3,
      rate: '90/minute',
      email_alerts: true,
      is_paused: true,
    };
    const changed = await printed(...set, ...words(options));
    assert.deepEqual(changed, Object.assign({}, made, expected));
    const undo = words('--retries off --concurrency none --rate none --resume --email-alerts off');
    const undone = { retries_enabled: false, retry_schedule: [1, 120] };
    assert.deepEqual(await printed(...set, ...undo), Object.assign({}, made, undone));
  });

  once('cron set pauses and starts, and prints the cron as the list does', async () => {
    const cron = await aCron(store, teamId);
    const cronSet = ['cron', 'set', ...team, '--cron', cron.id];
    const paused = await printed(...cronSet, '--pause');
    assert.deepEqual([paused['is_active'], paused['next_run_at']], [false, null]);
    const started = await printed(...cronSet, '--start');
    assert.equal(started['is_active'], true);
    assert.match(String(started['next_run_at']), INSTANT);
    const listed = await printed('cron', 'list', ...team);
    assert.deepEqual(
      listed.find(({ id }) => id === cron.id),
      started,
    );
  });

  once('cron run prints the execution, which execution list shows', async () => {
    const { id } = await aCron(store, teamId);
    const execution = await printed('cron', 'run', '--id', id);
    assert.deepEqual([execution['cron_id'], execution['status']], [id, 'pending']);
    await printed('cron', 'run', '--id', id);
    const listed = await printed('execution', 'list', '--cron', id);
    assert.deepEqual([listed.length, listed[1]], [2, execution]);
  });

  once('a rejected command prints one line with the reason and changes nothing', async () => {
    const node = await aNode(store);
    const cron = await aCron(store, teamId);
    const others = await store.teams.create('others', 'free', store.clock.now());
    const dead = await aDeadLetter(store, teamId, node, { queue: 'dead' });
    const running = await aClaimedJob(store, teamId, node, { queue: 'running' });
    const pending = await aJob(store, teamId, { queue: 'pending', delaySeconds: 60 });
    const queueSet = 'queue set --team Acme --queue dead --dead-letter-days 9';
    const before = await store.queues.findByName(teamId, 'dead');
    const rows: [command: string, line: RegExp][] = [
      [NEW_USER, /^--email: There is an account with this email\.$/],
      ['user create --email x --password short', /^--email: .+ --password: Use at least 8 char/],
      [
        'user create --email eve@acme.test --password correct-horse --team Acme --role owner',
        /^--role: The team Acme has an owner already\.$/,
      ],
      ['user token --email nobody@x.y', /^there is no account with the email "nobody@x\.y"\.$/],
      ['team plan --team Acme --plan gold', /PLANS has: free, pro/],
      ['team plan --team Nobody --plan pro', /^there is no team "Nobody"\.$/],
      ['queue set --team Acme --queue ', /^--queue is empty\.$/],
      [`${queueSet} --timeout 0`, /^--timeout: Timeout must be at least 1 second\.$/],
      [`${queueSet} --assert {`, /^--assert: Assertions must be a list written as JSON\.$/],
      [`${queueSet} --pause --resume`, /'--pause' cannot be used with option '--resume'/],
      [`${queueSet} --tag a --no-tags`, /^--tag: Leave out --no-tags with it\.$/],
      ['job create --team Acme --queue dead --url http://a.test/ --header a:1 --header a:2', TWICE],
      ['backup ', /^FILE is empty\.$/],
      [`cron set --team ${others.id} --cron ${cron.id} --pause`, /has no cron/],
      ['job list --team Acme --status done', /choices are pending/],
      ...['0', '1e3', '10001'].map((limit): [string, RegExp] => [
        `job list --team Acme --limit ${limit}`,
        /from 1 to 10000/,
      ]),
      [`job fire --id ${dead.id}`, /state dead_lettered\. Only pending jobs can be fired\.$/],
      [`job retry --id ${pending.jobId}`, /state pending/],
      [`job delete --id ${running.id}`, /state processing/],
      ['job retry-all --team Acme --queue dead --rate slowly', /^--rate: The rate must be a whole/],
      ['cron run --id x', /^there is no cron "x"\.$/],
      ['job show --id x', /^there is no job "x"\.$/],
    ];
    for (const [command, line] of rows) assert.match(await refused(...words(command)), line);
    assert.deepEqual(await store.queues.findByName(teamId, 'dead'), before);
    assert.equal((await store.crons.find(teamId, cron.id))?.isActive, true);
    assert.equal((await store.jobs.find(teamId, running.id))?.status, 'processing');
  });

  once('commands that exceed a limit of the team are rejected in one line', async () => {
    const full = { ...config, teamBounds: { ...config.teamBounds, queues: 0 } };
    const job = words('job create --team Acme --queue more --url http://a.test/');
    const { code, stderr } = await run(full, job);
    assert.equal(code, 1);
    assert.equal(stderr, 'belfry: The team cannot have more queues: the limit is 0.\n');
  });

  describe('job', () => {
    once('job retry resends a resent job with --again only', async () => {
      const dead = await aDeadLetter(store, teamId, await aNode(store), { queue: 'retried' });
      const retry = await printed('job', 'retry', '--id', dead.id);
      assert.deepEqual([retry['original_id'], retry['status']], [retry['id'], 'pending']);
      const shown = await printed('job', 'show', '--id', dead.id);
      assert.deepEqual(
        [shown['status'], shown['response_body'], shown['retried_as']],
        ['dead_lettered', 'no', retry['id']],
      );
      assert.equal(
        await refused('job', 'retry', '--id', dead.id),
        `the job "${dead.id}" was resent before, as "${String(retry['id'])}", which is under way. With --again it is sent once more.`,
      );
      await printed('job', 'retry', '--id', dead.id, '--again');
      assert.equal((await printed('job', 'list', ...team, '--queue', 'retried')).length, 3);
    });

    once('retry-all makes new jobs of failed ones, at a rate if one is given', async () => {
      const node = await aNode(store);
      for (let n = 0; n < 3; n++) await aDeadLetter(store, teamId, node, { queue: 'many dead' });
      const all = ['job', 'retry-all', ...team, '--queue', 'many dead'];
      const { ends_at: endsAt, ...came } = await printed(...all, '--rate', '2/min');
      assert.deepEqual(came, { jobs: 3, is_more: false, retried: 3, state: 'done' });
      const list = ['job', 'list', ...team, '--queue', 'many dead', '--status', 'pending'];
      const made = await printed(...list);
      const due = made.map((job: Json) => Date.parse(String(job['scheduled_at'])));
      const [first = 0, second = 0, last = 0] = due.toSorted((a, b) => a - b);
      assert.deepEqual([second - first, last - second], [30_000, 30_000]);
      assert.ok(Math.abs(last - Date.parse(String(endsAt))) < 5_000);
      const none = { jobs: 0, is_more: false, retried: 0, state: 'done', ends_at: null };
      assert.deepEqual(await printed(...all), none);
    });

    once('job delete prints the deleted job, pending or failed', async () => {
      const { jobId } = await aJob(store, teamId, { queue: 'gone', delaySeconds: 3600 });
      const deleted = await printed('job', 'delete', '--id', jobId);
      assert.equal(deleted['id'], jobId);
      assert.equal(await refused('job', 'show', '--id', jobId), `there is no job "${jobId}".`);
      const node = await aNode(store);
      const dead = await aDeadLetter(store, teamId, node, { queue: 'gone' });
      assert.equal((await printed('job', 'delete', '--id', dead.id))['status'], 'dead_lettered');
    });
  });

  describe('doctor', () => {
    const findings = async (tuned: Config) => {
      // Nothing outside this machine is contacted.
      const baseUrl = `http://127.0.0.1:${await freePort()}`;
      const found = await doctor({ ...tuned, port: 0, baseUrl });
      const lines = found.findings.map(
        ({ check, status, message }) => `${status.padEnd(4)}  ${check.padEnd(9)}  ${message}\n`,
      );
      assert.equal(found.stderr, lines.join(''));
      return found;
    };

    test('doctor reports success if the database, DNS and mail server answer', async () => {
      await using dns = await startDnsServer();
      await using smtp = await startSmtpServer();
      const reached = { ...config, dnsServers: [dns.address], smtpUrl: smtp.url };
      const { code, of } = await findings(reached);
      for (const check of 'settings database key clock dns mail metrics heartbeat'.split(' ')) {
        assert.equal(of(check)?.status, 'ok', JSON.stringify(of(check)));
      }
      assert.match(String(of('address')?.message), /does not answer from here \(ECONNREFUSED\)/);
      assert.equal(code, 0);
    });

    once('doctor prints each finding once as a table', async () => {
      const asked = words('doctor --output table');
      const { stdout, stderr } = await run({ ...config, port: 0, baseUrl: null }, asked);
      assert.match(stdout, /^STATUS +CHECK +MESSAGE\n[^]*^ok +database /m);
      assert.equal(stderr, '');
    });

    once('doctor names the unreachable service without its password', async () => {
      const port = await freePort();
      const { code, of } = await findings({
        ...config,
        dnsServers: [`127.0.0.1:${port}`],
        smtpUrl: `smtp://me:hush-hush@127.0.0.1:${port}`,
      });
      assert.equal(of('dns')?.status, 'warn');
      assert.equal(of('mail')?.status, 'fail');
      assert.match(String(of('mail')?.message), /takes no mails \(connect ECONNREFUSED /);
      assert.doesNotMatch(JSON.stringify(of('mail')), /hush/);
      assert.equal(code, 1);
    });

    test('doctor reports runs planned while the clock was ahead', async () => {
      const fresh = { ...configOf(await makeDatabaseUrl()), port: 0 };
      const beside = await openSecondStore(fresh);
      const team = await beside.teams.create('Ahead', 'free', realClock.now());
      const now = realClock.now();
      const job = await aJob(beside, team.id, { delaySeconds: 86_400 });
      assert.doesNotMatch((await doctor(fresh)).stderr, /the clock was ahead/);
      const later = now + 400 * 86_400_000;
      await aCron(beside, team.id, { nextRunAt: later });
      await beside.database.autocommit(
        `update jobs set created_at = ${later} where id = '${job.jobId}'`,
      );
      const { code, stderr } = await doctor(fresh);
      assert.equal(code, 0);
      assert.match(stderr, /^warn {2}planned {4}.*crons wait beyond the next time .*: 1;/m);
      assert.match(stderr, /^warn {2}planned {4}.*jobs that were made then wait .*: 1;/m);
      await beside.close();
    });

    if (name === 'Postgres') {
      test('doctor reports whether an engine is alive, and unsuitable server settings', async () => {
        const url = await makeDatabaseUrl();
        const find = async (check: string, changes: object = {}) =>
          (await doctor({ ...configOf(url), port: 0, ...changes })).of(check);
        const none = await find('engines', { role: 'web' });
        assert.equal(none?.status, 'warn');
        assert.match(none.message, /none is alive, so nothing is sent/);
        assert.equal((await find('engines'))?.status, 'ok');
        const beside = await openSecondStore(configOf(url));
        await beside.nodes.join(beside.clock.now(), 15_000);
        assert.equal((await find('engines', { role: 'web' }))?.message, 'alive: 1');
        const commit = (how: string) =>
          beside.database.autocommit(
            `do $$ begin execute format('alter database %I set synchronous_commit = ${how}', current_database()); end $$`,
          );
        await commit('on');
        assert.equal(await find('server'), undefined);
        await commit('off');
        await beside.close();
        const server = await find('server');
        assert.match(String(server?.message), /synchronous_commit is off: .*set it to on/);
      });
    }

    once("doctor reports a key that doesn't fit the database", async () => {
      const { code, of } = await findings({ ...config, appKey: Buffer.alloc(32, 8) });
      assert.match(String(of('key')?.message), /another key; set APP_KEY/);
      assert.equal(code, 1);
    });

    test('doctor checks a database with pending migrations without migrating it', async () => {
      const fresh = configOf(await makeDatabaseUrl({ isEmpty: true }));
      if (fresh.database.kind === 'sqlite') new DatabaseSync(fresh.database.path).close();
      for (let n = 0; n < 2; n++) {
        const { of } = await findings(fresh);
        assert.match(String(of('database')?.message), /the next start applies .*0001-baseline-/);
      }
    });
  });
});

describe('the command line', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-cli-'));
  const file = path.join(folder, 'belfry.db');
  const config = configOf(`sqlite:${file}`);
  after(() => fs.rmSync(folder, { recursive: true, force: true }));

  test('wrong words are rejected in one line without opening a database', async () => {
    for (const [argv, line] of [
      [['job'], /^belfry: job needs a command: list, .+, retry-all\.\n$/],
      [['jbo', '--help'], /^belfry: unknown command 'jbo' \(Did you mean job\?\)\n$/],
      [['help', 'job', 'shwo', '-h'], /^belfry: unknown command 'shwo' \(Did you mean show\?\)\n$/],
      [[], /^belfry: a command is missing: serve, user, team, member, service-account, queue, /],
      [['serve', '--port', '1'], /^belfry: unknown option '--port'\n$/],
      [['job', 'show'], /^belfry: required option '--id <ID>' not specified\n$/],
      [['backup'], /^belfry: missing required argument 'FILE'\n$/],
      [['a\nb\u001b[31m'], /^belfry: unknown command 'a b \[31m'\n$/],
    ] as const) {
      const { code, json, stderr } = await run(config, argv);
      assert.deepEqual({ code, json }, { code: 1, json: undefined }, JSON.stringify(argv));
      assert.match(stderr, line);
      assert.equal(fs.existsSync(file), false);
    }
  });

  test('help lists the commands and marks required options', async () => {
    const { code, stdout } = await run(config, ['help']);
    assert.equal(code, 0);
    assert.match(stdout, /^ {2}serve +run the service/m);
    const create = await run(config, ['cron', 'create', '--help']);
    assert.equal(create.stdout.match(/\(required\)$/gm)?.length, 4, create.stdout);
  });

  test('commands reject a database in memory', async () => {
    const { code, stderr } = await run(configOf('sqlite::memory:'), ['team', 'list']);
    assert.equal(code, 1);
    assert.match(stderr, /^belfry: DATABASE_URL is sqlite::memory:[^\n]*\n$/);
  });

  test('an unreachable database is reported in one line without its password', async () => {
    const url = `postgres://me:hush-hush@127.0.0.1:${await freePort()}/x`;
    const { code, stderr } = await run(configOf(url), ['team', 'list']);
    assert.equal(code, 1);
    assert.match(stderr, /^belfry: the database cannot be used now: [^\n]*ECONNREFUSED[^\n]*\n$/);
    assert.doesNotMatch(stderr, /hush/);
    const doctor = await run(configOf(url), ['doctor']);
    assert.equal(doctor.code, 1);
    assert.match(
      doctor.stderr,
      /^fail {2}database {3}Postgres: .*ECONNREFUSED.*; check that it runs and that DATABASE_URL/m,
    );
    assert.doesNotMatch(doctor.stderr, /hush/);
  });

  test('an error of Postgres about user or database is reported in one line with the next step', async () => {
    await using database = await createDatabase();
    const name = new URL(database.url).pathname.slice(1);
    const role = `role_${name}`;
    const admin = new pg.Client({ connectionString: database.url });
    admin.on('error', () => {});
    await admin.connect();
    await admin.query(`create role ${role} login`);
    await admin.query('revoke all on schema public from public');
    const urlFor = (user: string, path: string) => {
      const url = new URL(database.url);
      return Object.assign(url, { username: user, pathname: path }).href;
    };
    const refusals = [
      [urlFor('no_such_role', name), 'does not let this user in', 'the user and the password'],
      [urlFor(role, 'no_such_database'), 'has no such database', 'create it'],
      [urlFor(role, name), 'does not let this user make its tables', 'the owner'],
    ] as const;
    for (const [url, what, remedy] of refusals) {
      const { code, stderr } = await run(configOf(url), ['migrate']);
      assert.equal(code, 1);
      assert.match(
        stderr,
        new RegExp(`^belfry: [^\\n]*Postgres ${what} [^\\n]*${remedy}[^\\n]*\\n$`),
      );
    }
    await admin.query(`drop role ${role}`);
    await admin.end();
  });

  test('commands and doctor name a server without TLS and the next step', async () => {
    await using server = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.write('N'));
    });
    server.listen(0, 'localhost');
    await once(server, 'listening');
    const { port } = server.address() as net.AddressInfo;
    const unusable = configOf(`postgres://belfry@localhost:${port}/belfry?sslmode=verify-full`);
    const { stderr } = await run(unusable, ['team', 'list']);
    assert.match(stderr, /^belfry: .*Postgres offers no TLS \(.+\); .*sslmode.*\n$/);
    const doctor = await run(unusable, ['doctor']);
    assert.match(doctor.stderr, /^fail {2}database.*Postgres: offers no TLS \(.+\); .*sslmode/m);
  });
});

describe('backup', () => {
  let folder: string;
  let store: Store;
  let config: Config;
  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-backup-'));
    config = configOf(`sqlite:${path.join(folder, 'belfry.db')}`);
    store = await openSecondStore(config, { serving: true });
  });
  after(async () => {
    await store.close();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  test('backup copies the database while a service writes, readable by its owner only', async () => {
    const { id } = await store.teams.create('Acme', 'free', realClock.now());
    await aQueue(store, id);
    const copy = path.join(folder, 'copy.db');
    const accepting = Array.from({ length: 50 }, () => aJob(store, id));
    const { code, json, stderr } = await run(config, ['backup', copy]);
    await Promise.all(accepting);
    assert.equal(code, 0);
    assert.deepEqual(json, { file: copy, bytes: fs.statSync(copy).size });
    assert.match(stderr, /APP_KEY/);
    assert.equal(fs.statSync(copy).mode & 0o777, 0o600);
    using database = new DatabaseSync(copy, { readOnly: true });
    assert.equal(database.prepare('pragma integrity_check').get()?.['integrity_check'], 'ok');
    assert.equal(database.prepare('select name from teams').get()?.['name'], 'Acme');
    assert.deepEqual(
      fs.readdirSync(folder).filter((name) => name.endsWith('.part')),
      [],
    );
  });

  test('backup reports an existing file, an unwritable path, a missing database, and pg_dump', async () => {
    const taken = path.join(folder, 'taken');
    fs.writeFileSync(taken, 'mine');
    const fresh = path.join(folder, 'fresh.db');
    for (const [of, target, line] of [
      [config, taken, /^belfry: .*taken exists already; name a new file\.\n$/],
      [config, path.join(folder, 'no', 'where'), /cannot be written: its folder is not there\.\n$/],
      [configOf(`sqlite:${fresh}`), path.join(folder, 'x'), /no database at .*fresh\.db yet\.\n$/],
      [configOf('postgres://127.0.0.1:1/x'), 'x', /^belfry: .*use pg_dump for Postgres\.\n$/],
    ] as const) {
      const { code, json, stderr } = await run(of, ['backup', target]);
      assert.deepEqual({ code, json }, { code: 1, json: undefined });
      assert.match(stderr, line);
    }
    assert.equal(fs.readFileSync(taken, 'utf8'), 'mine');
    assert.equal(fs.existsSync(fresh), false);
  });

  test('backup rejects a damaged database', async () => {
    const damaged = path.join(folder, 'damaged.db');
    fs.writeFileSync(damaged, 'this is no database'.repeat(100));
    const target = path.join(folder, 'of-damaged.db');
    const { code, stderr } = await run(configOf(`sqlite:${damaged}`), ['backup', target]);
    assert.equal(code, 1);
    assert.match(stderr, /^belfry: [^\n]+is damaged[^\n]+; restore an older copy\n$/);
    assert.equal(fs.existsSync(target), false);
    const doctor = await run(configOf(`sqlite:${damaged}`), ['doctor']);
    assert.equal(doctor.code, 1);
    assert.match(doctor.stderr, /^fail {2}database {3}.*damaged.*; restore a backup$/m);
  });
});

describe('as a user who may not use the files of the service', () => {
  const folder = makeGuardedFolder(os.tmpdir());
  const data = path.join(folder, 'data');
  const file = path.join(data, 'belfry.db');
  const config = { ...configOf(`sqlite:${file}`), port: 0 };
  const copies = path.join(folder, 'copies');
  const copy = path.join(copies, 'copy.db');
  before(async () => {
    fs.chmodSync(folder, 0o755);
    fs.mkdirSync(data);
    fs.mkdirSync(copies);
    fs.chmodSync(copies, 0o777);
    assert.equal((await run(config, ['migrate'])).code, 0);
    // Loads every module, which another user may not be able to read.
    await run(config, ['doctor']);
    await run(config, ['backup', path.join(folder, 'own.db')]);
  });

  const withMode = async <T>(target: string, mode: number, work: () => Promise<T>): Promise<T> => {
    const before = fs.statSync(target).mode;
    fs.chmodSync(target, mode);
    const isRoot = process.geteuid?.() === 0;
    try {
      // Root may use every file.
      if (isRoot) process.seteuid?.('nobody');
      return await work();
    } finally {
      if (isRoot) process.seteuid?.(0);
      fs.chmodSync(target, before);
    }
  };

  test('doctor and backup name the missing right and the remedy, for a closed and a read-only folder', async () => {
    fs.chmodSync(file, 0o644);
    for (const [mode, remedy] of [
      [0o000, /cannot be read \(EACCES\); .*run this command as the user of the service/],
      [0o555, /give this user write access to the file and its folder/],
    ] as const) {
      const [doctor, backup] = await withMode(data, mode, async () => [
        await run(config, ['doctor']),
        await run(config, ['backup', copy]),
      ]);
      assert.match(doctor.stderr, new RegExp(`^fail {2}database {3}.*${remedy.source}`, 'm'));
      assert.match(backup.stderr, new RegExp(`^belfry: .*${remedy.source}[^\\n]*\\n$`));
      assert.deepEqual([doctor.code, backup.code], [1, 1]);
    }
  });
});

test("doctor fails if the first start couldn't make the database", async () => {
  const folder = makeGuardedFolder(os.tmpdir());
  fs.writeFileSync(path.join(folder, 'taken'), '');
  for (const [file, line] of [
    [
      'taken/data/belfry.db',
      /^fail {2}database {3}.* not there yet, and .*taken is no folder.*; give/m,
    ],
    ['.', /^fail {2}database {3}.* is a folder; name a file in it$/m],
    ['data/belfry.db', /^ok {4}database {3}.*not there yet; the first start makes it$/m],
  ] as const) {
    const config = configOf(`sqlite:${path.join(folder, file)}`);
    const { code, stderr } = await run({ ...config, port: 0 }, ['doctor']);
    assert.match(stderr, line);
    assert.equal(code, stderr.includes('fail  ') ? 1 : 0);
  }
});
