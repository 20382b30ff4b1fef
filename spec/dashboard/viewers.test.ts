import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { openBuildFolder } from '#dashboard/build';
import { before } from '#testing/hooks';
import { type TestUser, useDashboard } from '#testing/dashboard';
import { aCron, aDeadLetter, aJob, aNode, aQueue } from '#testing/factories';

/** §5.8: viewers see what members see, without secrets, and change nothing, whatever they send. */

const SOURCES = new URL('../../src/dashboard/', import.meta.url);
const BUILD = new URL('../../build/dashboard', import.meta.url).pathname;
const HEADER_SECRET = 'hunter2-of-a-header';
const CHANNEL_SECRET = 'hunter2-of-a-channel';

let owner: TestUser;
let viewer: TestUser;
let things: Record<string, string>;

const dashboard = useDashboard({}, { sends: false });
before(async () => {
  owner = await dashboard.user('owner@bells.test');
  viewer = await dashboard.user('viewer@bells.test', { role: 'viewer' });
  things = await makeThings();
});

/** Something of each kind, by the part of the address that names it. */
async function makeThings() {
  const { store, work, people } = dashboard.service;
  const { teamId, userId } = owner;
  const headers = [['Authorization', HEADER_SECRET]] as const;
  const actor = { userId, teamId, role: 'owner' } as const;
  await people.signing.generateSigningSecret(actor);
  const config = { kind: 'slack', url: `https://hooks.example/${CHANNEL_SECRET}` } as const;
  const added = await work.addChannel(teamId, { name: 'chat', config, collectMinutes: null });
  const cron = await aCron(store, teamId, { name: 'Evening bells', headers });
  const run = await work.runCronNow(teamId, cron.id);
  const queue = await aQueue(store, teamId, { name: 'mail' });
  const waiting = await aJob(store, teamId, { queue: 'mail', headers, delaySeconds: 3600 });
  const failed = await aDeadLetter(store, teamId, await aNode(store));
  const window = await work.startMaintenanceNow(teamId, 'team');
  const invited = { email: 'new@bells.test', role: 'member' } as const;
  await people.teams.invite(actor, invited, { clientAddress: '198.51.100.1' });
  return {
    crons: cron.id,
    executions: run?.id ?? '',
    queues: queue.id,
    jobs: waiting.jobId,
    failed: failed.id,
    maintenance: window.kind === 'done' ? window.window.id : '',
    notifications: added.kind === 'saved' ? added.id : '',
  };
}

/** Addresses of the pages of a team that take forms, as the build has them. */
async function listFormPages(): Promise<{ page: string; file: string }[]> {
  const { routes } = await openBuildFolder(BUILD).loadServer();
  const shell = Object.values(routes).find((route) => route?.id.endsWith('signed-in'));
  const ofTeam = (id: string | undefined): boolean =>
    id !== undefined && (id === shell?.id || ofTeam(routes[id]?.parentId));
  return Object.values(routes).flatMap((route) => {
    if (!route?.module.action || !ofTeam(route.id)) return [];
    const parent = routes[route.parentId ?? '']?.path ?? '';
    const path = [parent, route.path ?? ''].filter((part) => part !== '').join('/');
    const pattern = `/${path}${route.index ? '?index' : ''}`;
    if (OWN_PAGES.has(pattern)) return [];
    // A module with two routes tells them apart behind a #.
    const [file = ''] = route.id.split('#');
    return fillIn(pattern).map((page) => ({ page, file: file.replace(/(?:\.tsx)?$/, '.tsx') }));
  });
}

/** About the person alone, whatever their role; and what is no page. */
const OWN_PAGES = new Set(['/settings/profile', '/settings/api-token', '/*']);

/** `/crons/:id/edit` with the id of a cron. */
function fillIn(pattern: string): string[] {
  const kind = pattern.split('/').findLast((_part, at, all) => all[at + 1]?.startsWith(':')) ?? '';
  const ids = kind === 'jobs' ? [things['jobs'], things['failed']] : [things[kind]];
  return pattern.includes(':')
    ? ids.map((id) => pattern.replace(/:\w+/, id ?? things['jobs'] ?? ''))
    : [pattern];
}

/** Every word that stands for something to do in the sources of a page: its own, and those that it is made of. */
async function listIntents(file: string): Promise<string[]> {
  const own = new URL(file, SOURCES);
  const text = await readFile(own, 'utf8');
  const parts = [...text.matchAll(/from '(\.\.?\/[^']+)'/g)].map(
    ([, path = '']) => new URL(path, own),
  );
  const texts = await Promise.all(
    parts.filter(({ href }) => !href.includes('+types')).map((part) => readFile(part, 'utf8')),
  );
  const lines = [text, ...texts].flatMap((each) => each.split('\n'));
  const about = lines.filter((line) =>
    /\bcase '|intent|kinds? =|simple =|name: '|: 'all-/i.test(line),
  );
  const words = about.join('\n').matchAll(/['"]([a-z]+(?:[-_][a-z]+){0,3})['"]/g);
  const intents = [...words].map(([, word = '']) => word).filter((word) => !OTHER_WORDS.has(word));
  return [...new Set(['', ...intents])];
}

/** Of looks, fields and outcomes. Each form that is sent costs 20 ms. */
const OTHER_WORDS = new Set(
  `input click string default button type intent small quiet filled right control alert submit
  teal orange red blue retried success failed paused pending idle cron queue job execution
  week day month json_path_equals body_contains response_time_under object array error empty wrong
  signed-in refused reached too-early enough busy limit-reached not-found too-many done asks started
  sent logged same name-taken submitting`.split(/\s+/),
);

/** What makes a valid form of any page, with everything named that there is. */
function aForm(intent: string): [string, string][] {
  const { crons = '', queues = '', jobs = '', failed = '', maintenance = '' } = things;
  const ids = [crons, queues, jobs, failed, maintenance, owner.userId, viewer.userId];
  return [
    ...ids.map((id): [string, string] => ['id', id]),
    ...Object.entries({
      intent,
      name: 'By a viewer',
      url: 'http://127.0.0.1:9/by-a-viewer',
      cron_expression: '@hourly',
      method: 'POST',
      queue: 'by-a-viewer',
      timeout_seconds: '30',
      header_name: 'X-By',
      header_value: 'a viewer',
      job: intent === 'fire' || intent === 'delete' ? jobs : failed,
      group: `/jobs?tab=failed`,
      all: '1',
      as_of: String(Date.now()),
      kind: 'email',
      role: 'admin',
      repeat: 'once',
      starts_at: '2027-01-01T00:00',
      ends_at: '2027-01-01T01:00',
      scope: 'team',
      shown_field: 'customer',
    }),
  ];
}

/** All rows of a team's things, or of all teams; what a person does to themself is left out. */
async function readRows(teamId?: string): Promise<string> {
  const { database } = dashboard.service.store;
  const ask = (sql: string) => database.autocommit(sql);
  const tables = await ask(`select name from sqlite_schema where type = 'table' order by name`);
  const named = tables.map((table) => (table as { name: string }).name);
  const kept = named.filter((name) => !/^(?:sqlite_|sessions|rate_windows|activity)/.test(name));
  assert.ok(kept.length > 20);
  const rows = await Promise.all(kept.map((name) => ask(`select '${name}' as t, * from ${name}`)));
  const isOfTeam = (row: unknown) =>
    [undefined, (row as { team_id?: string }).team_id].includes(teamId);
  return JSON.stringify(rows.flat().filter(isOfTeam));
}

test('a user of another team finds no page of the team and changes nothing of it by any form', async () => {
  const outsider = await dashboard.signIn(
    await dashboard.user('eve@whistles.test', { team: 'Whistles' }),
  );
  await outsider.get('/queues/new');
  const before = await readRows(owner.teamId);
  const found = new Set<number>();
  for (const { page, file } of await listFormPages()) {
    const isOfThing = Object.values(things).some((id) => page.includes(id));
    if (isOfThing) found.add((await outsider.get(page)).status);
    for (const intent of await listIntents(file)) {
      // The sender keeps their own team.
      if (intent === 'leave' || `${page} ${intent}` === '/settings/team delete') continue;
      await outsider.post(page.replace(/(?=\?|$)/, '.data'), aForm(intent));
    }
  }
  assert.deepEqual([...found], [404]);
  assert.equal(await readRows(owner.teamId), before);
  const lists =
    '/ /crons /queues /jobs?tab=all /failures /runs /alerts /maintenance /jobs/progress';
  for (const list of [
    ...lists.split(' '),
    '/settings/activity',
    '/settings/activity/export?format=jsonl',
  ]) {
    const { status, text } = await outsider.get(list);
    assert.equal(status, 200, list);
    for (const id of Object.values(things)) assert.ok(!text.includes(id), `${id} on ${list}`);
    assert.doesNotMatch(text, /Evening bells|bells\.test/, list);
  }
});

describe('§5.8: a viewer', () => {
  test("a viewer can't change anything by any form", async () => {
    const pages = await listFormPages();
    assert.ok(pages.length >= 25, JSON.stringify(pages));
    const visitor = await dashboard.signIn(viewer);
    const before = await readRows();
    const tried: string[] = [];
    for (const { page, file } of pages) {
      const statuses = new Set<number>();
      for (const intent of await listIntents(file)) {
        // Who is in a team may go.
        if (intent === 'leave') continue;
        tried.push(`${page} ${intent}`);
        statuses.add((await visitor.post(page.replace(/(?=\?|$)/, '.data'), aForm(intent))).status);
      }
      assert.ok(
        statuses.has(403),
        `${page} was refused for other reasons: ${[...statuses].join()}`,
      );
    }
    for (const known of [
      `/crons/${things['crons']} run`,
      '/crons all-delete',
      '/jobs/progress cancel',
      '/alerts read-all',
      '/settings/members transfer',
      '/settings/team shown_field',
      '/crons/new test',
    ])
      assert.ok(tried.includes(known), `${known} was not tried`);
    assert.equal(await readRows(), before);
  });

  test("a viewer sees the members' pages without secrets and forms", async () => {
    const visitor = await dashboard.signIn(viewer);
    const [cron, run, queue, job, failed] = [
      `/crons/${things['crons']}`,
      `/executions/${things['executions']}`,
      `/queues/${things['queues']}`,
      `/jobs/${things['jobs']}`,
      `/jobs/${things['failed']}`,
    ];
    const lists = ['/', '/crons', '/queues', '/jobs?tab=all', '/jobs?tab=pending', '/failures'];
    const others = [
      '/alerts',
      '/maintenance',
      '/settings/team',
      '/settings/activity',
      '/settings/members',
    ];
    const shown = [`${job}?secrets=shown`, `${run}?secrets=shown`];
    for (const page of [...lists, ...others, cron, run, queue, job, failed, ...shown]) {
      const { status, text } = await visitor.get(page);
      assert.equal(status, 200, page);
      assert.doesNotMatch(text, new RegExp(`${HEADER_SECRET}|${CHANNEL_SECRET}|whsec_`), page);
      assert.match(text, /View only/, page);
      const actions = [...text.matchAll(/<form(?=[^>]*method="post")[^>]*action="([^"]*)"/g)];
      const paths = actions.map(([, path = '']) => path.split('?')[0]);
      const own = new Set(['/theme', '/logout', '/teams/switch', '/settings/team']);
      assert.deepEqual(
        paths.filter((path = '') => !own.has(path)),
        [],
        page,
      );
      const links = [...text.matchAll(/href="(\/[^"]*\/(?:new|edit)(?:\?[^"]*)?)"/g)];
      const forms = links.map(([, path]) => path).filter((path) => path !== '/teams/new');
      assert.deepEqual(forms, [], page);
    }
    for (const part of ['curl', 'call']) {
      const { text } = await visitor.get(`${job}/text?part=${part}&secrets=shown`);
      assert.match(text, /Authorization/i);
      assert.ok(!text.includes(HEADER_SECRET));
    }
    const found = await visitor.get('/find?q=Evening');
    assert.match(found.text, /Evening/);
    assert.doesNotMatch(found.text, /isAction/);
  });

  test('a viewer gets an explanation and a contact instead of a form', async () => {
    const visitor = await dashboard.signIn(viewer);
    for (const page of [
      '/crons/new',
      '/jobs/new',
      `/crons/${things['crons']}/edit`,
      `/maintenance/${things['maintenance']}/edit`,
    ]) {
      const { status, text } = await visitor.get(page);
      assert.equal(status, 403, page);
      assert.match(text, /You are a viewer of this team/);
      assert.match(text, /href="\/settings\/team"/);
    }
  });
});
