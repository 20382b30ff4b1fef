import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { before } from '#testing/hooks';
import { type TestUser, useDashboard } from '#testing/dashboard';
import { aCron } from '#testing/factories';

let owner: TestUser;
let member: TestUser;

const dashboard = useDashboard({}, { sends: false });
before(async () => {
  owner = await dashboard.user('owner@bells.test');
  member = await dashboard.user('member@bells.test', { role: 'member' });
});

describe('§5.10: activity', () => {
  test('the activity page and each item list actions with their users', async () => {
    const cron = await aCron(dashboard.service.store, owner.teamId, { name: 'Nightly' });
    const visitor = await dashboard.signIn(member);
    assert.equal((await visitor.post(`/crons/${cron.id}`, { intent: 'pause' })).status, 302);
    const page = await visitor.read('/settings/activity');
    assert.match(page, /Paused the cron Nightly/);
    assert.match(page, /member \(member@bells\.test\)/);
    assert.match(await visitor.read(`/crons/${cron.id}`), /Paused the cron by member/);
    const narrowed = await visitor.read('/settings/activity?area=queues');
    assert.match(narrowed, /Nothing matches/);
    assert.doesNotMatch(narrowed, /Nightly/);
    const ofOwner = await visitor.read(`/settings/activity?by=${owner.userId}`);
    assert.doesNotMatch(ofOwner, /Nightly/);
  });

  test('sign-ins and secret changes are shown to admins only', async () => {
    const visitor = await dashboard.signIn(owner);
    await visitor.post('/settings/signing', { intent: 'generate' });
    const page = await visitor.read('/settings/activity?area=access');
    assert.match(page, /Signed in/);
    assert.match(page, /from 198\.51\./);
    assert.match(page, /Made a new signing secret/);
    assert.doesNotMatch(page, /whsec_/);
    const other = await dashboard.signIn(member);
    assert.doesNotMatch(await other.read('/settings/activity'), /Signed in|signing secret/);
    assert.match(await other.read('/settings/activity?area=access'), /Nothing matches/);
    const file = await other.get('/settings/activity/export?format=jsonl');
    assert.doesNotMatch(file.text, /signed-in|signing/);
  });
});
