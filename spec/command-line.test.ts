import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { newId } from '#domain/ids';
import type { Store } from '#store/store';
import { configOf, openBeside, run } from '#testing/command-line';
import { aCron, aJob } from '#testing/factories';
import { fillExecutions } from '#testing/fill';
import { eventually, forEachDatabase, startBelfry } from '#testing/process';
import { startReceiver } from '#testing/receiver';
import { makeFolder } from '#testing/guard';
import type { Config } from '#config/config';
import { realClock } from '#app/real-clock';

type Json = Record<string, unknown>;

const words = (text: string) => text.split(' ');

forEachDatabase((_name, makeDatabaseUrl) => {
  let config: Config;
  let store: Store;
  let teamId: string;
  const team = ['--team', 'Acme'];

  async function printed(...argv: string[]): Promise<Json & Json[]> {
    const { code, json, stderr } = await run(config, argv);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    return json as Json & Json[];
  }

  async function refused(...argv: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(config, argv);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.match(stderr, /^belfry: [^\n]+\n$/);
    return stderr.slice('belfry: '.length, -1);
  }

  before(async () => {
    config = configOf(await makeDatabaseUrl());
    store = await openBeside(config);
    teamId = (await store.teams.create('Acme', 'free', realClock.now())).id;
  });
  after(() => store.close());

  test('team pause and resume need a confirmation', async () => {
    const warned = await refused('team', 'pause', ...team);
    assert.equal(warned, 'this stops all crons and jobs of the team; add --yes to confirm.');
    const paused = await printed('team', 'pause', ...team, '--yes');
    assert.match(String(paused['paused_at']), /^\d{4}-/);
    assert.deepEqual([paused['id'], paused['paused_by']], [teamId, 'the command line']);
    const again = await run(config, ['team', 'pause', ...team, '--yes']);
    assert.deepEqual([again.json, again.stderr], [paused, 'It was paused already.\n']);
    assert.match(await refused('team', 'resume', ...team), /--yes/);
    const resumed = await printed('team', 'resume', ...team, '--yes');
    assert.deepEqual([resumed['paused_at'], resumed['paused_by']], [null, null]);
  });

  describe('a list', () => {
    const idsOf = (records: Json[]) => records.map(({ id }) => id);

    test('run list has the filters of the page and continues after a run', async () => {
      const cron = await aCron(store, teamId, { name: 'Nightly' });
      const [older, newer] = await fillExecutions(store, [
        { team_id: teamId, cron_id: cron.id, completed_at: 1000 },
        { team_id: teamId, cron_id: cron.id, completed_at: 2000, status: 'failed' },
      ]);
      const list = ['runs', 'list', ...team, '--cron', cron.id];
      assert.deepEqual(idsOf(await printed(...list)), [newer, older]);
      assert.deepEqual(idsOf(await printed(...list, '--status', 'failed')), [newer]);
      assert.deepEqual(idsOf(await printed(...list, '--before', String(newer))), [older]);
      const [run] = await printed(...list, '--limit', '1');
      assert.deepEqual([run?.['kind'], run?.['source']], ['cron', 'Nightly']);
      assert.match(await refused(...list, '--code', '5x'), /^--code: Write codes such as 503/);
      assert.match(await refused(...list, '--before', cron.id), /^there is no run /);
    });

    test('a list continues after the last record of the page before', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 5; n++) {
        ids.unshift((await aJob(store, teamId, { queue: 'paged', delaySeconds: 60 })).jobId);
      }
      const list = ['job', 'list', ...team, '--queue', 'paged', '--limit', '2'];
      const first = idsOf(await printed(...list));
      const second = idsOf(await printed(...list, '--before', String(first[1])));
      const third = idsOf(await printed(...list, '--before', String(second[1])));
      assert.deepEqual([first, second, third].flat(), ids);
      assert.deepEqual(await printed(...list, '--before', String(third[0])), []);
    });

    test('lists of executions and alerts have pages', async () => {
      const { id } = await aCron(store, teamId);
      const [older, newer] = [
        await printed('cron', 'run', '--id', id),
        await printed('cron', 'run', '--id', id),
      ];
      const list = ['execution', 'list', '--cron', id, '--before'];
      assert.deepEqual(idsOf(await printed(...list, String(newer['id']))), [older['id']]);
      assert.deepEqual(await printed('alert', 'list', ...team, '--before', newId(1)), []);
    });

    test('--all prints every record, one per line, over all pages', async () => {
      const made = await Promise.all(
        Array.from({ length: 250 }, () => aJob(store, teamId, { queue: 'all', delaySeconds: 60 })),
      );
      const list = words('job list --team Acme --queue all --all');
      const { code, stdout } = await run(config, list);
      assert.equal(code, 0);
      const lines = stdout.split('\n').slice(0, -1);
      const ids = lines.map((line) => (JSON.parse(line) as Json)['id']);
      assert.deepEqual(new Set(ids), new Set(made.map(({ jobId }) => jobId)));
      assert.equal(ids.length, 250);
      const newestFirst = ids.map(String).toSorted((a, b) => (a < b ? 1 : -1));
      assert.deepEqual(ids, newestFirst);
    });

    test('a list rejects an invalid id, and --all with a limit or a table', async () => {
      const list = ['job', 'list', ...team];
      for (const id of ['', 'x', '1']) {
        assert.match(await refused(...list, '--before', id), /must be the id of a record/);
      }
      assert.match(await refused(...list, '--all', '--limit', '5'), /cannot be used with/);
      assert.match(await refused(...list, '--all', '--output', 'table'), /--all prints JSON lines/);
    });

    test('a list is printed as a table with the option before or after the command', async () => {
      await aCron(store, teamId, { name: 'In\u001b[31m red\n', url: `http://x/${'y'.repeat(80)}` });
      const { stdout } = await run(config, ['cron', 'list', ...team, '--output', 'table']);
      const [head = '', ...rows] = stdout.split('\n');
      assert.match(head, /^ID +NAME +CRON_EXPRESSION +URL +IS_ACTIVE +NEXT_RUN_AT$/);
      const row = rows.find((line) => line.includes('red')) ?? '';
      assert.equal(row.indexOf('In [31m red'), head.indexOf('NAME'));
      assert.match(row, /http:\/\/x\/y{50}…/);
      const [id] = row.split(' ');
      const one = await run(config, ['--output', 'table', 'cron', 'pause', '--id', String(id)]);
      assert.match(one.stdout, /^id +[0-9a-f-]{36}\nname /);
      assert.match(one.stdout, /\nnext_run_at +-\n/);
      assert.match(await refused('cron', 'list', ...team, '--output', 'yaml'), /json, table/);
    });
  });

  describe('job edit', () => {
    const make = async () => {
      const { jobId } = await aJob(store, teamId, {
        queue: 'made',
        payload: '{"a": 1.0}',
        headers: [['X-Team', 'mails']],
        delaySeconds: 3600,
      });
      return jobId;
    };

    test('job edit changes the given fields and leaves the rest', async () => {
      const id = await make();
      const before = await store.jobs.find(teamId, id);
      const edited = await printed('job', 'edit', '--id', id, '--url', 'http://target.test/new');
      assert.equal(edited['url'], 'http://target.test/new');
      const after = await store.jobs.find(teamId, id);
      assert.deepEqual(after, { ...before, url: 'http://target.test/new' });
      await printed('job', 'edit', '--id', id, '--no-payload', '--no-headers');
      const bare = await store.jobs.find(teamId, id);
      assert.deepEqual([bare?.payload, bare?.headers], [null, []]);
      const [entry] = await store.activity.list(teamId, { subjectId: id, limit: 1 });
      assert.deepEqual([entry?.actor, entry?.detail], ['Command line', 'headers, payload']);
    });

    test('job edit rejects invalid values and changes nothing', async () => {
      const edit = ['job', 'edit', '--id', await make()];
      assert.match(await refused(...edit, '--at', '2099-01-01 00:00'), /24 hours at most/);
      assert.match(await refused(...edit, '--at', 'soon'), /^--at: It must be a date/);
      assert.match(await refused(...edit, '--queue', 'nowhere'), /no queue "nowhere"/);
      assert.match(await refused(...edit, '--url', 'x'), /^--url: .* valid URL/);
      const nowhere = '018f0000-0000-7000-8000-000000000000';
      assert.match(await refused('job', 'edit', '--id', nowhere), /no job/);
      const id = await make();
      const damage = `update jobs set sealed_headers = 'v1.elsewhere' where id = '${id}'`;
      await store.database.autocommit(CompiledQuery.raw(damage));
      const blind = ['job', 'edit', '--id', id, '--url', 'http://target.test/new'];
      assert.match(await refused(...blind), /can't be opened .* anew with --header/);
    });
  });

  describe('job create', () => {
    const create = ['job', 'create', ...team, '--queue', 'made', '--url', 'http://target.test/a'];

    test('job create makes a job like the API, with its payload as written', async () => {
      const job = await printed(
        ...create,
        ...words('--method PUT --delay 3600 --callback-url http://target.test/done'),
        '--header',
        'X-Team: mails',
        '--header',
        'Authorization: Bearer: x',
        '--payload',
        '{"b": 1.0, "1": 9007199254740993}',
      );
      assert.deepEqual(
        [job['status'], job['queue'], job['method'], job['url']],
        ['pending', 'made', 'PUT', 'http://target.test/a'],
      );
      const stored = await store.jobs.find(teamId, String(job['id']));
      assert.equal(stored?.payload, '{"b": 1.0, "1": 9007199254740993}');
      assert.deepEqual(stored?.headers, [
        ['X-Team', 'mails'],
        ['Authorization', 'Bearer: x'],
      ]);
      assert.equal(stored?.callbackUrl, 'http://target.test/done');
      assert.ok(stored.scheduledAt - stored.createdAt === 3_600_000);
    });

    test('job create rejects wrong values by the name of their option and makes no job', async () => {
      const before = await store.jobs.list(teamId, { limit: 1 });
      for (const [option, value, line] of [
        ['--method', 'post', /^--method: The method must be one of/],
        ['--payload', '5', /^--payload: The payload field must be an array\.$/],
        ['--payload', '{"a":1},"url":"http://x"', /^--payload: It must be written as JSON/],
        ['--header', 'no colon', /^--header: It must be a name, a colon and a value\.$/],
        ['--header', 'A b: 5', /^--header: The headers\.A b field must have a valid/],
        ['--delay', '86401', /^--delay: The delay cannot exceed/],
        ['--delay', ' ', /^--delay is empty\.$/],
        ['--url', 'ftp://x', /^--url: The target URL must be a valid URL\.$/],
      ] as const)
        assert.match(await refused(...create, option, value), line);
      assert.deepEqual(await store.jobs.list(teamId, { limit: 1 }), before);
    });
  });

  describe('cron', () => {
    let made = 0;
    /** Each has a URL of its own, since a command tells of a cron that does what another does. */
    const create = () => [
      ...words(`cron create --team Acme --name Nightly --url http://target.test/n${++made}`),
      '--expression',
      '0 3 * * *',
    ];

    test('cron create makes a cron like the API', async () => {
      const cron = await printed(
        ...create(),
        ...words('--method POST --payload plain --timeout 9 --alert-threshold 2'),
        '--header',
        'X-Team: a',
        '--assert',
        '[{"kind":"body_contains","text":"ok"}]',
      );
      const stored = await store.crons.find(teamId, String(cron['id']));
      assert.deepEqual(
        [stored?.payload, stored?.timeoutSeconds, stored?.alertThreshold, stored?.headers],
        ['plain', 9, 2, [['X-Team', 'a']]],
      );
      assert.deepEqual(cron['assertions'], [{ kind: 'body_contains', text: 'ok' }]);
      assert.equal(cron['is_active'], true);
      assert.equal((await printed(...create(), '--paused'))['next_run_at'], null);
    });

    test('cron edit changes the given fields only', async () => {
      const { id } = await printed(
        ...create(),
        '--header',
        'X-Team: a',
        ...words('--payload p --alert-threshold 1 --callback-url http://target.test/done --paused'),
      );
      const edit = ['cron', 'edit', '--id', String(id)];
      const was = await store.crons.find(teamId, String(id));
      assert.ok(was);
      await printed(...edit, '--name', 'Renamed');
      assert.deepEqual(await store.crons.find(teamId, was.id), { ...was, name: 'Renamed' });
      await printed(
        ...edit,
        ...words('--no-headers --no-payload --no-callback-url --no-alert-threshold'),
      );
      assert.deepEqual(await store.crons.find(teamId, was.id), {
        ...was,
        name: 'Renamed',
        headers: [],
        payload: null,
        callbackUrl: null,
        alertThreshold: null,
      });
    });

    test('cron list can be filtered by tag', async () => {
      const { id } = await printed(...create(), '--tag', 'Night', '--tag', 'eu');
      const edit = ['cron', 'edit', '--id', String(id)];
      assert.deepEqual((await printed(...edit, '--name', 'Other'))['tags'], ['eu', 'night']);
      const listed = await printed('cron', 'list', ...team, '--tag', 'NIGHT');
      assert.deepEqual(
        listed.map((cron) => cron['id']),
        [id],
      );
      assert.deepEqual(await printed('cron', 'list', ...team, '--tag', 'nigh'), []);
      assert.deepEqual((await printed(...edit, '--tag', 'us'))['tags'], ['us']);
      assert.deepEqual((await printed(...edit, '--no-tags'))['tags'], []);
      assert.match(
        await refused(...edit, '--tag', 'two words'),
        /^--tag: "two words" can be no tag/,
      );
      const set = ['queue', 'set', ...team, '--queue', 'tagged'];
      assert.deepEqual((await printed(...set, '--tag', 'eu'))['tags'], ['eu']);
      assert.deepEqual((await printed(...set, '--timeout', '9'))['tags'], ['eu']);
      const queues = await printed('queue', 'list', ...team, '--tag', 'eu');
      assert.deepEqual(
        queues.map(({ name }) => name),
        ['tagged'],
      );
      assert.deepEqual((await printed(...set, '--no-tags'))['tags'], []);
    });

    test('cron tag adds and removes tags; mute and unmute print the time', async () => {
      const { id } = await printed(...create(), '--tag', 'eu');
      const of = ['--id', String(id)];
      const tagged = await printed('cron', 'tag', ...of, '--add', 'Night', '--remove', 'eu');
      assert.deepEqual(tagged['tags'], ['night']);
      const again = await refused('cron', 'tag', ...of, '--add', 'night');
      assert.equal(again, 'nothing was changed: it had the tag already.');
      const gone = await refused('cron', 'tag', ...of, '--remove', 'eu');
      assert.equal(gone, 'nothing was changed: it did not have the tag.');
      const ten = Array.from('abcdefghij').flatMap((tag) => ['--tag', tag]);
      await printed('cron', 'edit', ...of, ...ten);
      const full = await refused('cron', 'tag', ...of, '--add', 'k');
      assert.equal(full, 'nothing was changed: it has 10 tags already.');
      const muted = await printed('cron', 'mute', ...of, '--hours', '8');
      assert.match(String(muted['muted_until']), /^\d{4}-/);
      assert.match(await refused('cron', 'mute', ...of), /it is muted for as long or longer/);
      assert.match(await refused('cron', 'mute', ...of, '--hours', '721'), /^--hours: /);
      assert.deepEqual(await printed('cron', 'unmute', ...of), { id, muted_until: null });
      assert.equal(
        await refused('cron', 'unmute', ...of),
        'nothing was changed: it was not muted.',
      );
    });

    test('cron pause, resume and delete print the cron', async () => {
      const { id } = await printed(...create());
      const verb = (name: string) => printed('cron', name, '--id', String(id));
      assert.deepEqual((await verb('pause'))['next_run_at'], null);
      assert.equal((await verb('resume'))['is_active'], true);
      assert.equal((await verb('delete'))['id'], id);
      assert.equal(await store.crons.find(teamId, String(id)), null);
      for (const name of ['pause', 'resume', 'delete', 'edit']) {
        assert.equal(
          await refused('cron', name, '--id', String(id)),
          `there is no cron "${String(id)}".`,
        );
      }
    });

    test('cron create and edit reject the same values as the API and name the options', async () => {
      assert.match(
        await refused('cron', 'create', ...team),
        /^--name: A name .* --url: .* --expression: A cron expression is required\.$/,
      );
      const { id } = await printed(...create());
      const edit = ['cron', 'edit', '--id', String(id)];
      assert.match(await refused(...edit, '--expression', '61 * * * *'), /^--expression: The cron/);
      assert.match(await refused(...edit, '--timeout', '301'), /^--timeout: Timeout cannot exceed/);
      assert.match(await refused(...edit, '--assert', '{'), /^--assert: Assertions must be a list/);
      assert.match(await refused(...edit, '--name', ''), /^--name is empty\.$/);
    });
  });
});

describe('a job made by a command', () => {
  test('a job made by a command is sent by the running service', async () => {
    await using target = await startReceiver();
    await using belfry = await startBelfry();
    const user = 'user create --email ada@acme.test --password correct-horse --team Acme';
    assert.equal((await belfry.cli(...user.split(' '))).code, 0);
    const create = ['job', 'create', '--team', 'Acme', '--queue', 'q', '--url', `${target.url}/go`];
    const { json } = await belfry.cli(...create);
    assert.equal((await target.next()).url, '/go');
    const { id } = json as Json;
    await eventually(async () => {
      const shown = await belfry.cli('job', 'show', '--id', String(id));
      return (shown.json as Json)['status'] === 'success';
    });
  });
});

describe('health and doctor', () => {
  test('health and doctor find a running service at its address', async () => {
    await using belfry = await startBelfry();
    const port = Number(new URL(belfry.url).port);
    const config = { ...configOf(belfry.databaseUrl), port, baseUrl: belfry.url };
    const health = await run(config, ['health']);
    assert.deepEqual([health.code, health.json], [0, { status: 'ok' }]);
    const findings = (await run(config, ['doctor'])).json as Json[];
    const of = (check: string) => findings.find((finding) => finding['check'] === check);
    assert.deepEqual(of('address'), {
      check: 'address',
      status: 'ok',
      message: `${belfry.url} answers`,
    });
    assert.deepEqual(of('port'), {
      check: 'port',
      status: 'ok',
      message: `the service listens on 127.0.0.1 port ${port}`,
    });
    assert.equal(of('files')?.['status'], 'ok');
    assert.match(String(of('disk')?.['message']), /GB are free/);
    await belfry.stop();
    const silent = await run(config, ['health']);
    assert.equal(silent.code, 1);
    assert.equal(silent.stderr, 'belfry: the service does not answer: ECONNREFUSED.\n');
    const later = (await run(config, ['doctor'])).json as Json[];
    const freed = later.find(({ check }) => check === 'port');
    assert.equal(freed?.['message'], `127.0.0.1 port ${port} is free`);
  });

  test('doctor reports a port that another program uses', async () => {
    await using other = await startReceiver();
    const port = Number(new URL(other.url).port);
    const config = { ...configOf(`sqlite:${path.join(makeFolder(), 'belfry.db')}`), port };
    const health = await run(config, ['health']);
    assert.equal(
      health.stderr,
      'belfry: the service does not answer: what answers is not Belfry.\n',
    );
    const { code, json } = await run(config, ['doctor']);
    assert.equal(code, 1);
    assert.deepEqual(
      (json as Json[]).find(({ check }) => check === 'port'),
      {
        check: 'port',
        status: 'fail',
        message: `127.0.0.1 port ${port} is taken by another program: end that, or choose another PORT`,
      },
    );
  });

  test('doctor reports another Belfry on the port or at the public address', async () => {
    await using other = await startBelfry();
    const port = Number(new URL(other.url).port);
    const config = configOf(`sqlite:${path.join(makeFolder(), 'belfry.db')}`);
    const { code, json } = await run({ ...config, port, baseUrl: other.url }, ['doctor']);
    const of = (check: string) => (json as Json[]).find((finding) => finding['check'] === check);
    assert.equal(code, 1);
    assert.match(String(of('port')?.['message']), /taken by a Belfry with another database/);
    assert.match(String(of('address')?.['message']), /answers as a Belfry with another database/);
  });

  test('doctor reports a service that runs with another HOST', async (t) => {
    const addresses = Object.values(os.networkInterfaces()).flatMap((all) => all ?? []);
    const isThere = addresses.some(({ internal, family }) => !internal && family === 'IPv4');
    if (!isThere) return t.skip('this machine has no address beside its loopback');
    await using belfry = await startBelfry();
    const port = Number(new URL(belfry.url).port);
    const config = { ...configOf(belfry.databaseUrl), port, host: '0.0.0.0' };
    const findings = (await run(config, ['doctor'])).json as Json[];
    const { status, message } = findings.find(({ check }) => check === 'port') ?? {};
    assert.equal(status, 'warn');
    assert.match(String(message), /^HOST is 0\.0\.0\.0, but the service .* does not answer on /);
  });

  test('doctor reports a public address without https, and open sign-up without a mail server', async () => {
    const usual = configOf(`sqlite:${path.join(makeFolder(), 'belfry.db')}`);
    const checksOf = async (changes: object) => {
      const { json } = await run({ ...usual, port: 0, ...changes }, ['doctor']);
      const warned = (json as Json[]).filter(({ status }) => status === 'warn');
      return warned
        .map(({ check }) => check)
        .filter((check) => /https|sign-up/.test(String(check)));
    };
    assert.deepEqual(await checksOf({}), []);
    assert.deepEqual(await checksOf({ host: '0.0.0.0' }), ['https']);
    assert.deepEqual(await checksOf({ baseUrl: 'http://192.0.2.1:1' }), ['https']);
    assert.deepEqual(await checksOf({ host: '0.0.0.0', baseUrl: 'https://127.0.0.1:1' }), []);
    assert.deepEqual(await checksOf({ signUp: 'open' }), ['sign-up']);
  });

  test("doctor reports a backup folder that can't be written", async () => {
    const folder = makeFolder();
    fs.writeFileSync(path.join(folder, 'file'), '');
    const config = configOf(`sqlite:${path.join(folder, 'belfry.db')}`);
    const findingOf = async (name: string) => {
      const backups = { folder: path.join(folder, name), everyHours: 24, keep: 7 };
      const { json } = await run({ ...config, port: 0, backups }, ['doctor']);
      return (json as Json[]).find(({ check }) => check === 'backups');
    };
    assert.equal((await findingOf('new/folder'))?.['status'], 'warn');
    const { status, message } = (await findingOf('file/below')) ?? {};
    assert.equal(status, 'fail');
    assert.match(String(message), /cannot be written \(.*file is no folder\): .*ReadWritePaths=/);
  });

  test("doctor reports files readable by others, closed metrics, and an address that isn't Belfry's", async () => {
    await using other = await startReceiver();
    await using belfry = await startBelfry();
    const file = belfry.databaseUrl.replace('sqlite:', '');
    fs.chmodSync(file, 0o644);
    const config = { ...configOf(belfry.databaseUrl), host: '0.0.0.0', baseUrl: other.url };
    const findings = (await run(config, ['doctor'])).json as Json[];
    const warned = (check: string) =>
      String(
        findings.find((each) => each['check'] === check && each['status'] === 'warn')?.['message'],
      );
    assert.match(warned('files'), new RegExp(`chmod 600 ${file}`));
    assert.match(warned('metrics'), /METRICS_TOKEN is not set/);
    assert.match(warned('address'), /answers 200, and not as Belfry/);
  });

  test('doctor reports a proxy that strips the path', async () => {
    await using belfry = await startBelfry();
    const env = { BASE_URL: 'http://127.0.0.1:1/tools' };
    await using below = await startBelfry({ env, databaseUrl: belfry.databaseUrl + '2' });
    await using cutter = await startCuttingProxy('/tools', below.url);
    const config = { ...configOf(below.databaseUrl), baseUrl: `${cutter.url}/tools` };
    const findings = (await run(config, ['doctor'])).json as Json[];
    const address = findings.find(({ check }) => check === 'address');
    assert.match(String(address?.['message']), /loses its path on the way/);
  });
});

/** A proxy that is set up wrong: what stands behind it never sees the path. */
async function startCuttingProxy(basePath: string, target: string) {
  const server = http.createServer((request, response) => {
    const { hostname, port } = new URL(target);
    const path = (request.url ?? '').slice(basePath.length);
    http
      .get({ hostname, port, path, headers: request.headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      })
      .on('error', () => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
