import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { test } from 'node:test';
import { before } from '#testing/hooks';
import { type TestUser, useDashboard } from '#testing/dashboard';
import type { Visitor } from '#testing/visitor';

/** A form that arrives slowly acts with the session, the team and the role at its end, not those at its beginning (§5.8). */

const dashboard = useDashboard();
let owner: TestUser;
before(async () => {
  owner = await dashboard.user('ada@bells.test');
});

const CRON = { name: 'slow', url: 'http://a.test/', method: 'GET', cron_expression: '@daily' };
const CHANNEL = {
  name: 'slow',
  kind: 'slack',
  slack_url: 'https://hooks.slack.com/services/T/B/x',
};

/** Sends all but the last byte of a form, waits until the service has read who sends it, and changes something. */
async function sendSlowly(
  sender: Visitor,
  path: string,
  fields: Record<string, string>,
  meanwhile: () => Promise<unknown>,
): Promise<string> {
  const form = new URLSearchParams({ ...fields, for_team: owner.teamId, intent: 'save' });
  const body = Buffer.from(form.toString());
  const request = http.request(dashboard.url + path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': body.length,
      Origin: dashboard.url,
      ...sender.cookies.headers,
    },
  });
  const answered = once(request, 'response') as Promise<[http.IncomingMessage]>;
  request.write(body.subarray(0, -1));
  // These ask the same of the store, and later.
  for (let n = 0; n < 3; n++) assert.equal((await sender.get('/crons/new')).status, 200);
  await meanwhile();
  request.end(body.subarray(-1));
  const [answer] = await answered;
  answer.resume();
  return `${answer.statusCode} ${answer.headers.location ?? ''}`.trimEnd();
}

async function joinTeam(email: string, role: 'admin' | 'member') {
  const user = await dashboard.user(email, { role });
  return { user, visitor: await dashboard.signIn(user) };
}

const listCrons = () => dashboard.service.work.listCrons(owner.teamId);
const actor = () => ({ userId: owner.userId, teamId: owner.teamId, role: 'owner' as const });

test('a slow form creates no cron if its sender became a viewer meanwhile', async () => {
  const { user, visitor } = await joinTeam('demoted@bells.test', 'member');
  const { teams } = dashboard.service.people;
  const demote = () => teams.changeRole(actor(), user.userId, 'viewer');
  assert.equal(await sendSlowly(visitor, '/crons/new', CRON, demote), '403');
  assert.deepEqual(await listCrons(), []);
});

test('a slow form adds no channel if its sender was removed from the team meanwhile', async () => {
  const { user, visitor } = await joinTeam('removed@bells.test', 'admin');
  const { people, work } = dashboard.service;
  const remove = () => people.teams.removeMember(actor(), user.userId);
  const path = '/settings/notifications/new';
  const saved = '302 /settings/notifications';
  assert.equal(await sendSlowly(visitor, path, CHANNEL, async () => {}), saved);
  const another = { ...CHANNEL, name: 'slower', slack_url: `${CHANNEL.slack_url}2` };
  assert.equal(await sendSlowly(visitor, path, another, remove), '302 /teams/new');
  assert.deepEqual(
    (await work.listChannels(owner.teamId)).filter(({ name }) => name === 'slower'),
    [],
  );
});

test('a slow form creates no cron if its sender was signed out everywhere meanwhile', async () => {
  const { user, visitor } = await joinTeam('out@bells.test', 'member');
  const request = { headers: new Headers(), clientAddress: '198.51.100.1' };
  const signOut = () =>
    dashboard.service.people.accounts.signOutEverywhere(
      { userId: user.userId, revokesToken: false },
      request,
    );
  assert.equal(await sendSlowly(visitor, '/crons/new', CRON, signOut), '401');
  assert.deepEqual(await listCrons(), []);
});
