import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Store } from '#store/store';
import { before } from '#testing/hooks';
import { useDashboard } from '#testing/dashboard';
import { aCron } from '#testing/factories';
import type { Visitor } from '#testing/visitor';

/** What crons and queues are filed under (§2.13), as pages show it. All of it works without scripts. */

let store: Store;

const dashboard = useDashboard({}, { sends: false });
before(async () => {
  ({ store } = dashboard.service);
});

async function begin() {
  const user = await dashboard.newTeam();
  return { teamId: user.teamId, visitor: await dashboard.signIn(user) };
}

const textOf = async (visitor: Visitor, path: string) =>
  (await visitor.get(path)).text.replaceAll('<!-- -->', '').replaceAll('&amp;', '&');

/** The names that a list of crons or queues shows. */
async function namesIn(visitor: Visitor, path: string): Promise<string[]> {
  const text = await textOf(visitor, path);
  const [kind = ''] = path.slice(1).split('?');
  const links = text.matchAll(
    new RegExp(`<a[^>]*href="/${kind}/[0-9a-f-]{36}"[^>]*>([^<]+)<`, 'g'),
  );
  return [...links].map(([, name = '']) => name);
}

const cronForm = {
  name: 'Close the month',
  url: 'https://target.test/close',
  cron_expression: '@daily',
  method: 'GET',
  timeout_seconds: '30',
  is_active: '1',
};

describe('tags', () => {
  test('tags of a cron are stored in lower case and shown in its form', async () => {
    const { visitor, teamId } = await begin();
    const made = await visitor.post('/crons/new', { ...cronForm, tags: 'Nightly  billing' });
    assert.equal(made.status, 302);
    const [cron] = await store.crons.list(teamId);
    assert.deepEqual(cron?.tags, ['billing', 'nightly']);
    const edit = `/crons/${cron?.id}/edit`;
    assert.match(await textOf(visitor, edit), /name="tags"[^>]*value="billing, nightly"/);
    assert.match(await textOf(visitor, `/crons/${cron?.id}`), /href="\/crons\?tag=billing"/);
    await visitor.post(edit, { ...cronForm, tags: '' });
    assert.deepEqual((await store.crons.find(teamId, cron?.id ?? ''))?.tags, []);
  });

  test('tags of a queue are a field of its form, with errors at the field', async () => {
    const { visitor, teamId } = await begin();
    const form = { queue: 'mail', timeout_seconds: '30', dead_letter_days: '14' };
    const refused = await visitor.post('/queues/new', { ...form, tags: 'good, <bad>' });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /can be no tag/);
    assert.match(refused.text, /value="good, &lt;bad&gt;"/);
    await visitor.post('/queues/new', { ...form, tags: 'Mails' });
    const queue = await store.queues.findByName(teamId, 'mail');
    assert.deepEqual(queue?.tags, ['mails']);
    assert.match(await textOf(visitor, `/queues/${queue?.id}`), /href="\/queues\?tag=mails"/);
  });

  test('lists of crons and queues can be filtered by tag in the address', async () => {
    const { visitor, teamId } = await begin();
    await aCron(store, teamId, { name: 'Plain' });
    await store.queues.save(teamId, 'other', { isPaused: true }, store.clock.now());
    assert.doesNotMatch(await textOf(visitor, '/crons'), /Any tag/);
    assert.doesNotMatch(await textOf(visitor, '/queues'), /Filter queues/);
    await aCron(store, teamId, { name: 'Invoices', tags: ['billing', 'eu'] });
    await aCron(store, teamId, { name: 'Reports', tags: ['bill'] });
    await store.queues.save(teamId, 'mail', { tags: ['billing'] }, store.clock.now());
    const held = { tags: ['billing'], isPaused: true };
    await store.queues.save(teamId, 'held', held, store.clock.now());
    assert.deepEqual(await namesIn(visitor, '/crons?tag=billing'), ['Invoices']);
    assert.deepEqual(await namesIn(visitor, '/crons?tag=BILLING'), ['Invoices']);
    assert.deepEqual(await namesIn(visitor, '/crons?tag=bill'), ['Reports']);
    assert.deepEqual(await namesIn(visitor, '/crons'), ['Invoices', 'Plain', 'Reports']);
    assert.deepEqual(await namesIn(visitor, '/queues?tag=billing'), ['held', 'mail']);
    assert.deepEqual(await namesIn(visitor, '/queues?tag=billing&status=paused'), ['held']);
    assert.deepEqual(await namesIn(visitor, '/queues'), ['held', 'mail', 'other']);
    assert.match(await textOf(visitor, '/crons?tag=nowhere'), /No cron matches/);
    assert.match(await textOf(visitor, '/queues?tag=nowhere'), /No queue matches/);
    assert.match(await textOf(visitor, '/queues?tag=two%20words'), /This can be no tag/);
    assert.match(await textOf(visitor, '/queues'), /<option value="billing">/);
    assert.match(await textOf(visitor, '/crons'), /<option value="eu">/);
  });
});
