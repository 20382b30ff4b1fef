import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { before, useStarted } from '#testing/hooks';
import type { RouteConfigEntry } from '@react-router/dev/routes';
import routes from '../../src/dashboard/routes.ts';
import { LONG_FIELDS } from '#dashboard/serving/take-form';
import { CRON_REQUEST } from '#work/resources/cron';
import { JOB } from '#work/resources/job';
import { partsOf } from '#work/resources/resource';
import { type TestUser, useDashboard } from '#testing/dashboard';
import { type PageForm, PlainPage } from '#testing/plain-page';
import { eventually } from '#testing/process';
import { startReceiver } from '#testing/receiver';
import { assertTurns } from '#testing/spent-time';
import type { Visitor } from '#testing/visitor';

/**
 * No text holds up the event loop, on which all teams' requests go out: each field of each form, each filter of each
 * list and each field of the API is filled with what is slowest to normalize, split, parse or show again.
 */

const KIB = 1024;
const MIB = KIB * KIB;
const MOST_MS = 50;
const URLENCODED = 'application/x-www-form-urlencoded';

const ATTACKS: Readonly<Record<string, (length: number) => string>> = {
  'combining marks': (length) =>
    `a${'\u0344'.repeat(length / 2 - 1)}${'\u0316'.repeat(length / 2 - 1)}`,
  separators: (length) => 'a, b:c\n%26;'.repeat(length / 11),
  nesting: (length) => `[${'{"a":[]},'.repeat(length / 9 - 1)}1]`,
  'NUL characters': (length) => '\0'.repeat(length),
};

const dashboard = useDashboard({ SIGN_UP: 'open' });
const target = useStarted(startReceiver);
/** Of the team that the forms are about. */
let owner: TestUser;
let signedIn: Visitor;
const agent = new http.Agent({ keepAlive: true });

before(readTeam);
after(() => agent.destroy());

interface SentForm extends PageForm {
  isPublic: boolean;
  route: string;
}

interface Seen {
  /** Equal forms of several pages once. */
  posts: Map<string, SentForm>;
  filters: Map<string, Set<string>>;
}

let teams = 0;

/** Makes a team with one of everything that a page may have a form for. Gives the paths of its pages. */
async function makeTeam(): Promise<string[]> {
  const { work } = dashboard.service;
  teams++;
  const team = `Bells ${teams}`;
  owner = await dashboard.user(`ada${teams}@bells.test`, { team });
  const { teamId } = owner;
  await dashboard.user(`bob${teams}@bells.test`, { team, role: 'member' });
  target.answer('/down', { status: 503 });
  const request = { method: 'POST', headers: [], callbackUrl: null } as const;
  const queue = await work.setQueue(teamId, 'mail', { retrySchedule: [] });
  const cron = await work.createCron(teamId, {
    ...request,
    name: 'Close the month',
    url: `${target.url}/down`,
    cronExpression: '0 6 29 2 *',
    payload: '{"n":1.0}',
    timeoutSeconds: 20,
    alertThreshold: 1,
    isActive: true,
  });
  await work.runCronNow(teamId, cron.id);
  const job = { ...request, queue: 'mail', payloadJson: '{"order":1}' };
  const failed = await work.createJob(teamId, {
    ...job,
    url: `${target.url}/down`,
    delaySeconds: 0,
  });
  const later = await work.createJob(teamId, { ...job, url: target.url, delaySeconds: 86_400 });
  await eventually(async () => (await work.findJob(teamId, failed.jobId))?.completedAt);
  await eventually(async () => (await work.listExecutions(teamId, cron.id, 1))[0]?.completedAt);
  const [run] = await work.listExecutions(teamId, cron.id, 1);
  const config = { kind: 'slack', url: 'https://hooks.slack.com/services/T/B/x' } as const;
  await work.addChannel(teamId, { name: 'ops', config, collectMinutes: null });

  await work.startMaintenanceNow(teamId, [{ kind: 'queue', id: queue.id }]);
  const window = (await work.listWindows(teamId))[0];
  const fixed = [
    '/ /failures /alerts /runs /maintenance /maintenance/new /crons /crons/new /queues /queues/new',
    '/jobs /jobs?tab=failed /jobs?tab=pending /jobs/new /jobs/progress /teams/new',
    '/settings/profile /settings/api-token /settings/team /settings/members /settings/signing',
    '/settings/service-accounts',
    '/settings/notifications /settings/notifications/new /settings/notifications/default',
    '/settings/activity /settings/billing',
  ];
  const own = [
    `/maintenance/${window?.id}/edit /crons/${cron.id} /crons/${cron.id}/edit /executions/${run?.id}`,
    `/queues/${queue.id} /queues/${queue.id}/edit /jobs/${failed.jobId} /jobs/${later.jobId}`,
    `/jobs/${later.jobId}/edit`,
  ];
  return [...fixed, ...own].flatMap((paths) => paths.split(' '));
}

const publicPages = ['/login', '/login/code', '/forgot-password', '/register'];

/** Notes the forms of pages as a browser without scripts sends them. */
async function noteForms(visitor: Visitor, pages: readonly string[], seen: Seen): Promise<void> {
  for (const at of pages) {
    const page = await PlainPage.open(visitor, at);
    assert.equal(page.status, 200, at);
    for (const form of page.forms) {
      const { method, action, entries } = form;
      if (method === 'post') {
        const route = routeOf(action);
        const fields = entries.map(([name, value]) => (name === 'intent' ? value : name));
        const isPublic = visitor.cookies.size === 0;
        seen.posts.set([isPublic, route, ...fields].join(' '), { ...form, isPublic, route });
        continue;
      }
      const [list = ''] = action.split('?');
      const names = entries.map(([name]) => name);
      seen.filters.set(list, new Set([...(seen.filters.get(list) ?? []), ...names]));
    }
  }
}

const FOLDER = path.join(import.meta.dirname, '../../src/dashboard');

/** The patterns of all routes, whether they answer forms, and from their most special one. */
const patterns = listRoutes(routes, '').toSorted(
  (a, b) => a.pattern.split(':').length - b.pattern.split(':').length,
);

function listRoutes(
  entries: readonly RouteConfigEntry[],
  under: string,
): { pattern: string; hasAction: boolean }[] {
  return entries.flatMap(({ path: own, file, children = [] }) => {
    const pattern = own === undefined ? under : `${under}/${own}`;
    const code = fs.readFileSync(path.join(FOLDER, file), 'utf8');
    const hasAction = /^export (?:async )?function action\b/m.test(code);
    return [{ pattern: pattern || '/', hasAction }, ...listRoutes(children, pattern)];
  });
}

function routeOf(action: string): string {
  const [pathname = ''] = action.split('?');
  const found = patterns.find(
    ({ pattern, hasAction }) =>
      hasAction && new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`).test(pathname),
  );
  assert.ok(found, `a route answers ${action}`);
  return found.pattern;
}

let senders = 0;
async function send(visitor: Visitor, to: string, body: Buffer | null): Promise<number> {
  const request = http.request(dashboard.url + to, {
    method: body === null ? 'GET' : 'POST',
    agent,
    headers: {
      ...(body !== null && {
        'Content-Type': URLENCODED,
        'Content-Length': body.length,
      }),
      Origin: dashboard.url,
      ...visitor.cookies.headers,
      'X-Forwarded-For': `203.0.${Math.floor(++senders / 250) % 250}.${(senders % 250) + 1}`,
    },
  });
  return answerTo(request, body);
}

async function answerTo(request: http.ClientRequest, body: Buffer | null): Promise<number> {
  request.end(body ?? undefined);
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  return answer.statusCode ?? 0;
}

const encoded = new Map<string, Buffer>();

/** Bytes beyond ASCII and separators as they are: the densest form that is understood. */
function encode(text: string): Buffer {
  const known = encoded.get(text);
  if (known) return known;
  const bytes = Buffer.from(text.replaceAll(/[%&+]/g, encodeURIComponent));
  if (text.length > KIB) encoded.set(text, bytes);
  return bytes;
}

function bodyOf(entries: readonly (readonly [name: string, value: string])[]): Buffer {
  const pairs = entries.map(([name, value]) =>
    Buffer.concat([Buffer.from(`${encodeURIComponent(name)}=`), encode(value), Buffer.from('&')]),
  );
  return Buffer.concat(pairs);
}

/** Fields that say which form it is, and whose. */
const isKept = (name: string) => ['intent', 'for_team', 'for_person'].includes(name);

/** The same code reads the fields of a new cron and of a changed one. */
const readerOf = ({ route }: SentForm) => route.replace(/\/(?:new|:id\/edit)$/, '');

function listLongFields(): Map<string, SentForm> {
  const found = new Map<string, SentForm>();
  for (const form of seen.posts.values())
    for (const [field] of form.entries)
      if (LONG_FIELDS.has(field)) found.set(`${readerOf(form)} ${field}`, form);
  return found;
}

/** Each short text is of one kind only. */
const isItsTurn = (at: number, round: number) => at % attacks.length === round;
const isDue = (name: string, at: number, round: number) =>
  LONG_FIELDS.has(name) || name === 'unknown' || isItsTurn(at, round);

/** Asserts that each turn of the loop is short, and that the request is no fault of the service. */
async function assertHarmless(what: string, request: () => Promise<number>): Promise<void> {
  const statuses: number[] = [];
  await assertTurns(MOST_MS, async () => statuses.push(await request()), what);
  assert.ok(
    statuses.every((status) => status < 500),
    `${what}: ${statuses.join()}`,
  );
}

/** Forms of the account may end a session, and count guesses of its password: they get one of their own. */
async function openVisitor({ isPublic, route }: SentForm): Promise<Visitor> {
  if (isPublic) return dashboard.visitor();
  const isOfAccount =
    /^\/(?:settings\/(?:profile|api-token|members|team|service-accounts)|logout|login)/.test(route);
  return isOfAccount ? dashboard.signIn(owner) : signedIn;
}

/** Some forms end all other sessions of their user: then another one sends the form again. */
async function sendForm(form: SentForm, body: Buffer): Promise<number> {
  const status = await send(await openVisitor(form), form.action, body);
  if (status !== 401 || form.isPublic) return status;
  signedIn = await dashboard.signIn(owner);
  const later = await send(await openVisitor(form), form.action, body);
  assert.notEqual(later, 401, form.action);
  return later;
}

/** A text of this kind with so many bytes in a form, and as many or less as JSON. */
function textOfBytes(attack: (length: number) => string, bytes: number): string {
  const sample = attack(6_600);
  const each = Math.max(encode(sample).length, Buffer.byteLength(JSON.stringify(sample))) / 6_600;
  return attack(Math.floor(bytes / each / 100) * 100);
}

const seen: Seen = { posts: new Map(), filters: new Map() };
/** Routes that answer forms which no page of the team shows. */
const unseen = () => {
  const sent = new Set(Array.from(seen.posts.values(), ({ route }) => route));
  return patterns.flatMap(({ pattern, hasAction }) =>
    hasAction && !sent.has(pattern) ? pattern : [],
  );
};

/** Makes a team anew: some forms delete what others are about. */
async function readTeam(): Promise<void> {
  const pages = await makeTeam();
  signedIn = await dashboard.signIn(owner);
  seen.posts.clear();
  await noteForms(signedIn, pages, seen);
  await noteForms(dashboard.visitor(), publicPages, seen);
}

const attacks = Object.entries(ATTACKS);
const namesOfJob = partsOf(JOB).map(({ name }) => name);
const namesOfCron = partsOf(CRON_REQUEST).map(({ name }) => name);

for (const [round, [name, attack]] of attacks.entries()) {
  describe(name, { concurrency: false, timeout: 600_000 }, () => {
    test(`${name} in a long field of a form take less than 50 ms of the event loop`, async () => {
      for (const [key, form] of listLongFields()) {
        const [, field = ''] = key.split(' ');
        const others = form.entries.filter(([each]) => each !== field);
        const body = bodyOf([...others, [field, textOfBytes(attack, LONG_FIELDS.get(field) ?? 0)]]);
        await assertHarmless(key, () => sendForm(form, body));
        // A page with a stored payload of a megabyte is slow by itself.
        if (field === 'payload') await sendForm(form, bodyOf(form.entries));
      }
    });

    test(`${name} in a filter or a return path take less than 50 ms of the event loop`, async () => {
      const text = encodeURIComponent(attack(4 * KIB))
        .slice(0, 12 * KIB)
        .replace(/%.?$/, '');
      const filters = [...seen.filters].flatMap(([list, names]) =>
        [...names].map((filter) => `${list}?${filter}=`),
      );
      assert.ok(filters.length > 20, `${filters.length} filters`);
      const signedOut = dashboard.visitor();
      for (const [visitor, addresses] of [
        [
          signedIn,
          [
            ...filters.filter((_, at) => isItsTurn(at, round)),
            '/find?q=',
            '/login?next=/',
            '/x?y=',
          ],
        ],
        // Every other page sends them to the sign-in in the same way.
        [signedOut, ['/jobs?q=', '/login?next=/', '/x?y=']],
      ] as const)
        for (const address of addresses)
          await assertHarmless(address, () => send(visitor, address + text, null));
    });

    for (const [endpoint, names] of [
      ['jobs', namesOfJob],
      // The others are read as those of a job.
      ['crons', namesOfCron.filter((field) => field === 'payload' || !namesOfJob.includes(field))],
    ] as const) {
      test(`a megabyte of ${name} in any field of /api/${endpoint} takes less than 50 ms of the event loop`, async () => {
        const text = textOfBytes(attack, MIB - 2 * KIB);
        const json = isJson(text) ? [text, `{"a":${text}}`] : [];
        for (const [at, field] of [...names, 'unknown'].entries()) {
          if (!isDue(field, at, round)) continue;
          for (const value of [JSON.stringify(text), ...json]) {
            const body = Buffer.from(writeCall({ [field]: value }));
            assert.ok(body.length <= MIB);
            await assertHarmless(`${endpoint} ${field}`, () =>
              call(endpoint, body, 'application/json'),
            );
          }
          await assertHarmless(`${endpoint} ${field} of a form`, () =>
            call(endpoint, bodyOf([[field, text]]), URLENCODED),
          );
        }
      });
    }
  });
}

test('as many fields as a body of the API can have take less than 50 ms of the event loop', async () => {
  const names = Array.from({ length: 80_000 }, (_, n) => `"k${n}":1`).join();
  const headers = names.slice(0, 250_000).replace(/,[^,]*$/, '');
  const escaped = Array.from({ length: 60_000 }, (_, n) => `"\\u0041${n}":1`).join();
  const pairs = Array.from({ length: 9_999 }, (_, n) => `payload[${n}][x]=1`).join('&');
  for (const [body, type] of [
    [`{${names}}`, 'application/json'],
    [`{${escaped}}`, 'application/json'],
    [writeCall({ headers: `{${headers}}` }), 'application/json'],
    [writeCall({ payload: `{${names}}` }), 'application/json'],
    [pairs, URLENCODED],
    [pairs.replaceAll('payload', 'other'), URLENCODED],
    [`a${'[b]'.repeat(330_000)}=1`, URLENCODED],
    ['{"a":['.repeat(170_000), 'application/json'],
  ] as const) {
    for (const endpoint of ['jobs', 'crons'] as const) {
      const what = `${endpoint} ${body.slice(0, 40)}`;
      await assertHarmless(what, () => call(endpoint, Buffer.from(body), type));
    }
  }
});

/** Also forms that are reached by a link of an email or by a script. */
test('all fields of a form, with any button, take less than 50 ms of the event loop', async () => {
  const forms = [...seen.posts.values()];
  assert.ok(forms.length > 60, `${forms.length} forms`);
  const publicNames = forms.flatMap(({ isPublic, entries }) =>
    isPublic ? entries.map(([field]) => field) : [],
  );
  const entries = [...new Set([...publicNames, 'task'])].map((field): [string, string] => [
    field,
    '',
  ]);
  const linked = unseen().map((route): SentForm => {
    const action = route.replace(/:\w+|\*/, 'x'.repeat(43));
    return { method: 'post', action, entries, isPublic: false, route };
  });
  let round = 0;
  for (const form of [...forms, ...linked]) {
    // Where a form says what it is about, for example the kind of a channel, fewer fields are read if that is odd.
    for (const keeps of ['what is filled', 'nothing']) {
      const [name, attack] = attacks[round++ % attacks.length] as (typeof attacks)[0];
      const text = textOfBytes(attack, 4 * KIB);
      const body = bodyOf(
        form.entries.map(([field, value]) => {
          const stays = isKept(field) || (keeps === 'what is filled' && value !== '');
          return [field, stays ? value : text];
        }),
      );
      await assertHarmless(`${name} in ${form.route}`, () => sendForm(form, body));
    }
  }
});

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

/** A call of either endpoint that is right but for these members. */
function writeCall(members: Readonly<Record<string, string>>): string {
  const right = {
    queue: '"q"',
    name: '"n"',
    url: '"http://a.test/"',
    cron_expression: '"0 0 1 1 *"',
    delay: '86400',
  };
  const all = Object.entries({ ...right, ...members });
  return `{${all.map(([name, json]) => `"${name}":${json}`).join()}}`;
}

function call(endpoint: 'jobs' | 'crons', body: Buffer, type: string): Promise<number> {
  const request = http.request(`${dashboard.url}/api/${endpoint}`, {
    method: 'POST',
    agent,
    headers: {
      Accept: 'application/json',
      Authorization: `Bearer ${owner.apiToken}`,
      'Content-Type': type,
      'Content-Length': body.length,
    },
  });
  return answerTo(request, body);
}
