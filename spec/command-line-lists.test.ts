import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Json, run, useCommands, words } from '#testing/command-line';
import { aClaimant, aCron, aJob, anExecutionSettlement, aNode } from '#testing/factories';
import { fillExecutions } from '#testing/fill';

describe('commands of lists', () => {
  const { open, printed, refused } = useCommands();
  const team = ['--team', 'Acme'];

  test('team edit sets and removes the field that lists of jobs show', async () => {
    const edit = ['team', 'edit', ...team];
    const shown = { shown_field: '$.customer', masked_fields: [] };
    assert.deepEqual(await printed(...edit, '--shown-field', '$.customer'), shown);
    assert.deepEqual(await printed(...edit), shown);
    assert.match(await refused(...edit, '--shown-field', 'a..b'), /must be a path/);
    assert.equal((await printed(...edit, '--no-shown-field'))['shown_field'], null);
  });

  test('commands print no value of a masked field, and edits keep it', async () => {
    const names = ['--masked-field', 'Card', '--masked-field', 'pin'];
    const { masked_fields: masked } = await printed('team', 'edit', ...team, ...names);
    assert.deepEqual(masked, ['card', 'pin']);
    const request = { method: 'POST', url: 'https://old.test/?card=QZ&n=1' } as const;
    const cron = await aCron(open.store, open.teamId, { ...request, payload: '{"pin":"QZ"}' });
    const { jobId: id } = await aJob(open.store, open.teamId, { url: request.url });
    const printedTexts = [
      await printed('cron', 'show', '--id', cron.id),
      await printed('cron', 'list', ...team),
      await printed('job', 'show', '--id', id),
      await printed('job', 'list', ...team),
      (await run(open.config, words(`cron edit-all --team Acme --host old.test=new.test`))).json,
      await printed('cron', 'edit', '--id', cron.id, '--method', 'PUT'),
      await printed('activity', 'list', ...team),
    ];
    for (const record of printedTexts) assert.doesNotMatch(JSON.stringify(record), /QZ/);
    const { url, payload } = (await open.store.crons.find(open.teamId, cron.id)) ?? {};
    assert.deepEqual([url, payload], ['https://new.test/?card=QZ&n=1', '{"pin":"QZ"}']);
    const { stdout } = await run(open.config, ['team', 'export', ...team]);
    assert.match(stdout, /settings:\n  masked_fields:\n    - card\n    - pin\n/);
    assert.match(stdout, /new\.test\/\?card=QZ/, 'the file can be applied');
    const none = await printed('team', 'edit', ...team, '--no-masked-fields');
    assert.deepEqual(none['masked_fields'], []);
  });

  test('team, cron and queue are paused until a time, a team after a confirmation', async () => {
    const until = ['--until', '2099-12-31 18:00'];
    const ends = '2099-12-31T18:00:00.000+00:00';
    const pause = ['team', 'pause', ...team];
    const warned = await refused(...pause);
    assert.equal(warned, 'this stops all crons and jobs of the team; add --yes to confirm.');
    const past = await refused(...pause, '--until', '2020-01-01 00:00', '--yes');
    assert.equal(past, 'the end of the pause must be in the future.');
    assert.match(await refused(...pause, '--until', 'noon', '--yes'), /^--until:/);
    const paused = await printed(...pause, ...until, '--yes');
    assert.match(String(paused['paused_at']), /^\d{4}-/);
    assert.deepEqual([paused['paused_by'], paused['paused_until']], ['the command line', ends]);
    const resume = ['team', 'resume', ...team, '--yes'];
    const resumed = await printed(...resume);
    assert.deepEqual([resumed['paused_at'], resumed['paused_until']], [null, null]);
    const again = await run(open.config, resume);
    assert.deepEqual([again.json, again.stderr], [resumed, 'It was not paused.\n']);

    const { id } = await aCron(open.store, open.teamId);
    const cron = await printed('cron', 'pause', '--id', id, ...until);
    assert.deepEqual([cron['is_active'], cron['paused_until']], [false, ends]);
    const endless = await printed('cron', 'edit', '--id', id, '--no-pause-until');
    assert.deepEqual([endless['is_active'], endless['paused_until']], [false, null]);

    const set = ['queue', 'set', ...team, '--queue', 'mails'];
    const queue = await printed(...set, '--pause-until', '2099-12-31 18:00');
    assert.deepEqual([queue['is_paused'], queue['paused_until']], [true, ends]);
  });

  describe('a list', () => {
    const idsOf = (records: Json[]) => records.map(({ id }) => id);

    test('run list has the filters of the page and continues after a run', async () => {
      const cron = await aCron(open.store, open.teamId, { name: 'Nightly' });
      const [older, newer] = await fillExecutions(open.store, [
        { team_id: open.teamId, cron_id: cron.id, completed_at: 1000 },
        { team_id: open.teamId, cron_id: cron.id, completed_at: 2000, status: 'failed' },
      ]);
      const list = ['runs', 'list', ...team, '--cron', cron.id];
      assert.deepEqual(idsOf(await printed(...list)), [newer, older]);
      assert.deepEqual(idsOf(await printed(...list, '--status', 'failed')), [newer]);
      assert.deepEqual(idsOf(await printed(...list, '--before', String(newer))), [older]);
      assert.match(await refused(...list, '--code', '5x'), /^--code: Write codes such as 503/);
      assert.match(await refused(...list, '--before', cron.id), /^there is no run /);
    });

    test('a list of alerts continues after an alert, and alert read marks those up to one', async () => {
      const { store, teamId } = open;
      const node = await aNode(store, 1e9);
      const cron = await aCron(store, teamId, { alertThreshold: 1 });
      for (const status of ['failed', 'success'] as const) {
        await store.crons.addExecution(teamId, cron.id, store.clock.now());
        const asked = [{ id: teamId, slots: 100 }];
        const { claimed } = await store.runs.claimExecutions(asked, aClaimant(store, node));
        const run = claimed.find(({ cronId }) => cronId === cron.id) ?? assert.fail();
        assert.ok(await store.runs.settle(node, anExecutionSettlement(store, run, { status })));
      }
      const list = ['alert', 'list', ...team];
      const [recovery, failure, ...more] = await printed(...list);
      assert.deepEqual(
        [recovery?.['level'], failure?.['level'], more],
        ['recovery', 'failure', []],
      );
      const older = await printed(...list, '--before', String(recovery?.['id']));
      assert.deepEqual(older, [failure]);
      const read = ['alert', 'read', ...team, '--up-to', String(failure?.['id'])];
      assert.deepEqual(await printed(...read), { marked: 1 });
      assert.deepEqual(await printed(...read), { marked: 0 });
    });

    test('--all prints every record, one per line, over all pages', async () => {
      const job = { queue: 'all', delaySeconds: 60 };
      const adding = Array.from({ length: 250 }, () => aJob(open.store, open.teamId, job));
      const made = await Promise.all(adding);
      const list = words('job list --team Acme --queue all --all');
      const { code, stdout } = await run(open.config, list);
      assert.equal(code, 0);
      const lines = stdout.split('\n').slice(0, -1);
      const ids = lines.map((line) => (JSON.parse(line) as Json)['id']);
      assert.deepEqual(new Set(ids), new Set(made.map(({ jobId }) => jobId)));
      assert.equal(ids.length, 250);
    });

    test('a list rejects an invalid id, and --all with a limit or a table', async () => {
      const list = ['job', 'list', ...team];
      assert.match(await refused(...list, '--before', 'x'), /must be the id of a record/);
      assert.match(await refused(...list, '--all', '--limit', '5'), /cannot be used with/);
      assert.match(await refused(...list, '--all', '--output', 'table'), /--all prints JSON lines/);
    });

    test('a list is printed as a table with the option before or after the command', async () => {
      await aCron(open.store, open.teamId, {
        name: 'In\u001b[31m red\n',
        url: `http://x/${'y'.repeat(80)}`,
      });
      const { stdout } = await run(open.config, ['cron', 'list', ...team, '--output', 'table']);
      const [head = '', ...rows] = stdout.split('\n');
      assert.match(head, /^ID +NAME +CRON_EXPRESSION +URL +IS_ACTIVE +NEXT_RUN_AT$/);
      const row = rows.find((line) => line.includes('red')) ?? '';
      assert.equal(row.indexOf('In [31m red'), head.indexOf('NAME'));
      assert.match(row, /http:\/\/x\/y{50}…/);
      const [id] = row.split(' ');
      const one = await run(open.config, words(`--output table cron pause --id ${id}`));
      assert.match(one.stdout, /^id +[0-9a-f-]{36}\nname /);
      assert.match(one.stdout, /\nnext_run_at +-\n/);
      assert.match(await refused('cron', 'list', ...team, '--output', 'yaml'), /json, table/);
    });
  });
});
