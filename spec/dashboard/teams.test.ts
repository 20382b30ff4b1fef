import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { postJson } from '#testing/client';
import { PASSWORD, type TestUser } from '#testing/dashboard';
import { before } from '#testing/hooks';
import { usePages } from '#testing/pages';
import type { PlainPage } from '#testing/plain-page';

/** How people come together in teams and part again (§5.2, §8, §5.8). */

describe('a team', () => {
  const { dashboard, visit: visitPage } = usePages();
  let owner: TestUser;
  before(async () => {
    owner = await dashboard.user('owner@bells.test');
  });
  const visit = (path: string, user: TestUser | null = null) => visitPage(path, user);

  const invite = async (page: PlainPage, email: string, role: string) => {
    await page.press('Invite', { Email: email, Role: role });
    page.shows('This link works once');
    return new URL(page.part('[aria-label="invitation link"]').text).pathname;
  };

  test('an invitation link adds a new user once', async () => {
    const bosses = await visit('/settings/members', owner);
    const link = await invite(bosses, '', 'member');
    const guests = await visit(link);
    assert.equal(guests.heading, 'Join Bells');
    guests.fill('Your name', 'Grace');
    guests.fill('Email', 'grace@bells.test');
    guests.fill('Password', PASSWORD);
    await guests.press('Create account and join');
    assert.equal(guests.heading, 'Overview');
    await guests.go('/settings/members');
    assert.ok(guests.row(owner.email).cells.includes('owner'));
    guests.row('grace@bells.test');
    for (const name of ['Invite', 'Make admin', 'Remove'])
      assert.ok(!guests.buttons.includes(name), name);
    const seen = guests.html;
    assert.ok(!/Second factor|Open invitations/.test(seen), 'only admins see these');
    const late = await visit(link);
    assert.equal(late.heading, 'This invitation no longer works');
  });

  test('an invitation adds an existing user with the invited email only', async () => {
    const other = await dashboard.user('linus@whistles.test', { team: 'Whistles' });
    const wrong = await dashboard.user('wrong@whistles.test', { team: 'Whistles' });
    const bosses = await visit('/settings/members', owner);
    const link = await invite(bosses, other.email, 'admin');
    const others = await visit(link, wrong);
    await others.press('Join team');
    others.shows('The invitation is for linus@whistles.test.');
    const guests = await visit(link, other);
    await guests.press('Join team');
    assert.equal(guests.heading, 'Overview');
    await guests.go('/settings/members');
    guests.row('linus@whistles.test').shows('admin');
  });

  test('a withdrawn invitation does not work', async () => {
    const bosses = await visit('/settings/members', owner);
    const link = await invite(bosses, 'late@bells.test', 'member');
    await bosses.go('/settings/members');
    await bosses.row('late@bells.test').press('Withdraw');
    bosses.shows('The invitation is withdrawn.');
    const guests = await visit(link);
    assert.equal(guests.heading, 'This invitation no longer works');
  });

  test('an admin changes roles and removes members', async () => {
    const member = await dashboard.user('rosa@bells.test', { role: 'member' });
    const page = await visit('/settings/members', owner);
    await page.row(member.email).press('Make admin');
    page.shows('The role is changed to admin.');
    await page.row(member.email).press('Remove');
    page.shows('The member is removed.');
    page.lacks(member.email);
    assert.deepEqual(page.row(owner.email).buttons, [], 'nobody removes the owner');
  });

  test('a team is renamed, transferred, and left by its former owner', async () => {
    const boss = await dashboard.user('boss@gongs.test', { team: 'Gongs' });
    const heir = await dashboard.user('heir@gongs.test', { team: 'Gongs', role: 'member' });
    const page = await visit('/settings/team', boss);
    await page.press('Rename team', { Name: 'Big gongs' });
    page.shows('The team is renamed.');
    await page.go('/settings/members');
    await page.row(heir.email).press('Transfer');
    page.shows('The team has a new owner.');
    page.shows('boss@gongs.test · admin', 'heir@gongs.test · owner');
    await page.press('Leave team');
    assert.equal(page.heading, 'Create team');
    const heirs = await visit('/settings/billing', heir);
    assert.equal(heirs.heading, 'Billing');
  });

  test('a team is deleted by typing its name, and its API calls answer 500', async () => {
    const boss = await dashboard.user('boss@drums.test', { team: 'Drums' });
    await dashboard.service.work.setQueue(boss.teamId, 'mail', {});
    const page = await visit('/settings/team', boss);
    page.shows('0 crons, 1 queue, 0 jobs', 'API calls of its only member');
    await page.press('Delete team', { 'Type Drums': 'Trumpets' });
    page.shows("This is not the team's name.");
    await page.press('Delete team', { 'Type Drums': 'Drums' });
    assert.equal(page.heading, 'Create team');
    const answer = await postJson(`${dashboard.url}/api/jobs`, boss.apiToken, {
      queue: 'mail',
      url: 'https://example.com/',
      payload: { a: 1 },
    });
    assert.deepEqual([answer.status, answer.json], [500, { message: 'Server Error' }]);
  });
});
