import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { before } from '#testing/hooks';
import { type TestUser, useDashboard } from '#testing/dashboard';
import { aCron } from '#testing/factories';
import { fillExecutions, fillJobs } from '#testing/fill';
import type { Visitor } from '#testing/visitor';

/** §3.10: one list of everything that was sent, by plain HTTP, and what is made of it. */

let user: TestUser;
let visitor: Visitor;
let queueId: string;
let cronId: string;
const at = Date.parse('2026-11-20T09:00:00Z');

// Nothing is sent: what the page makes of the rows is looked at.
const dashboard = useDashboard({}, { sends: false });
before(async () => {
  user = await dashboard.user('runs@bells.test', { team: 'Bells' });
  visitor = await dashboard.signIn(user);
  const { work, store } = dashboard.service;
  ({ id: queueId } = await work.setQueue(user.teamId, '=mail', {}));
  ({ id: cronId } = await aCron(store, user.teamId, { name: 'Nightly' }));
  await fillJobs(store, [
    {
      team_id: user.teamId,
      queue_id: queueId,
      status: 'retried',
      url: 'https://shop.example/orders',
      completed_at: at,
      response_status: 503,
      reason: 'http_server_error',
      duration_ms: 120,
    },
  ]);
  await fillExecutions(store, [{ team_id: user.teamId, cron_id: cronId, completed_at: at + 1000 }]);
});

/** The rows of the table, as they are read. */
async function rowsOf(path: string, by = visitor): Promise<string[]> {
  const { text } = await by.get(path);
  const table = text.slice(text.indexOf('<tbody'), text.indexOf('</tbody>'));
  return table
    .split('</tr>')
    .slice(0, -1)
    .map((row) => row.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' '));
}

describe('the page of runs', () => {
  test('the runs page shows attempts and cron runs, newest first, with links', async () => {
    const [first = '', second = '', ...others] = await rowsOf('/runs');
    assert.match(first, /Success .*Nightly.*HTTP 200/);
    assert.match(second, /Retried POST .*shop\.example.*=mail 1 HTTP 503 120 ms/);
    assert.deepEqual(others, []);
    const { text } = await visitor.get('/runs');
    for (const path of [/"\/executions\/[0-9a-f-]{36}"/, /"\/jobs\/[0-9a-f-]{36}"/]) {
      assert.match(text, path);
    }
  });

  test('the runs page can be filtered by its address', async () => {
    for (const [filter = '', ...found] of [
      [`of=queue:${queueId}`, 'shop'],
      [`of=cron:${cronId}`, 'Nightly'],
      ['of=crons&status=failure'],
      ['status=retried&code=5xx&reason=http_server_error&host=shop.example', 'shop'],
      ['from=2026-11-20T09:00:01', 'Nightly'],
      ['q=503', 'shop'],
    ]) {
      const rows = await rowsOf(`/runs?${filter}`);
      assert.equal(rows.length, found.length, filter);
      for (const [n, word] of found.entries()) assert.ok(rows[n]?.includes(word), filter);
    }
    assert.match((await visitor.get('/runs?host=nowhere.example')).text, /No run matches/);
  });

  test('the filtered runs are downloaded as CSV and JSON lines', async () => {
    const { text } = await visitor.get('/runs?of=jobs');
    assert.match(text, /"\/runs\/export\?of=jobs&amp;format=csv"/);
    const csv = await visitor.get('/runs/export?of=jobs&format=csv');
    assert.match(csv.headers.get('content-disposition') ?? '', /filename="runs\.csv"/);
    const [head, row = '', ...rest] = csv.text.split('\r\n');
    assert.match(head ?? '', /^id,kind,completed_at,source_id,source,method,url,status,.*,actor$/);
    assert.ok(row.includes(`,job,2026-11-20T09:00:00.000+00:00,${queueId},'=mail,POST,`), row);
    assert.deepEqual(rest, ['']);
    const lines = await visitor.get('/runs/export?format=jsonl');
    const records = lines.text.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []));
    assert.deepEqual(
      records.map(({ kind, source }) => [kind, source]),
      [
        ['cron', 'Nightly'],
        ['job', '=mail'],
      ],
    );
    assert.equal((await visitor.get('/runs/export?format=csv&code=5x')).status, 404);
  });

  test('runs of another team are not shown', async () => {
    const outsider = await dashboard.user('outsider@choir.test', { team: 'Choir' });
    const other = await dashboard.signIn(outsider);
    assert.match((await other.get('/runs')).text, /Nothing has been sent yet/);
    const { text } = await other.get(`/runs?of=queue:${queueId}`);
    assert.match(text, /This team has no such queue or cron/);
    const file = await other.get(`/runs/export?of=queue:${queueId}&format=jsonl`);
    assert.equal(file.text, '');
  });
});
