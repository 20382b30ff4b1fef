import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { PASSWORD, type TestUser } from '#testing/dashboard';
import { before } from '#testing/hooks';
import { confirm, heading, rowOf, usePages } from '#testing/pages';

/** How people come together in teams and part again (§5.2, §8, §5.8): with scripts and without. */

for (const javaScript of [true, false]) {
  describe(`a team, ${javaScript ? 'with' : 'without'} scripts`, () => {
    const { dashboard, open: openPage } = usePages();
    let owner: TestUser;
    before(async () => {
      owner = await dashboard.user('owner@bells.test');
    });
    const open = (path: string, user: TestUser | null = null) => openPage(path, user, javaScript);

    const invite = async (page: Page, email: string, role: string) => {
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Role').selectOption(role);
      await page.getByRole('button', { name: 'Invite', exact: true }).click();
      await page.getByText('This link works once').waitFor();
      return (await page.getByLabel('invitation link', { exact: true }).textContent()) ?? '';
    };

    test('an invitation link adds a new user once', async () => {
      await using bosses = await open('/settings/members', owner);
      const link = await invite(bosses.page, '', 'member');
      await using guests = await open(new URL(link).pathname);
      await heading(guests.page, 'Join Bells');
      await guests.page.getByLabel('Your name').fill('Grace');
      await guests.page.getByLabel('Email').fill('grace@bells.test');
      await guests.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await guests.page.getByRole('button', { name: 'Create account and join' }).click();
      await heading(guests.page, 'Overview');
      await guests.page.goto(`${dashboard.url}/settings/members`);
      await rowOf(guests.page, owner.email).getByText('owner', { exact: true }).waitFor();
      await rowOf(guests.page, 'grace@bells.test').waitFor();
      for (const name of ['Invite', 'Make admin', 'Remove'])
        assert.equal(await guests.page.getByRole('button', { name }).count(), 0, name);
      const seen = await guests.page.content();
      assert.ok(!/Second factor|Open invitations/.test(seen), 'only admins see these');
      await using late = await open(new URL(link).pathname);
      await heading(late.page, 'This invitation no longer works');
      for (const watched of [bosses, guests]) watched.assertNoFaults();
    });

    if (!javaScript) {
      test('an invitation adds an existing user with the invited email only', async () => {
        const other = await dashboard.user('linus@whistles.test', { team: 'Whistles' });
        const wrong = await dashboard.user('wrong@whistles.test', { team: 'Whistles' });
        await using bosses = await open('/settings/members', owner);
        const link = new URL(await invite(bosses.page, other.email, 'admin')).pathname;
        await using others = await open(link, wrong);
        await others.page.getByRole('button', { name: 'Join team' }).click();
        await others.page.getByText('The invitation is for linus@whistles.test.').waitFor();
        await using guests = await open(link, other);
        await guests.page.getByRole('button', { name: 'Join team' }).click();
        await heading(guests.page, 'Overview');
        await guests.page.goto(`${dashboard.url}/settings/members`);
        await rowOf(guests.page, 'linus@whistles.test')
          .getByText('admin', { exact: true })
          .waitFor();
      });
    }

    if (!javaScript) {
      test('a withdrawn invitation does not work', async () => {
        await using bosses = await open('/settings/members', owner);
        const link = await invite(bosses.page, 'late@bells.test', 'member');
        await bosses.page.goto(`${dashboard.url}/settings/members`);
        await confirm(bosses.page, 'Withdraw', rowOf(bosses.page, 'late@bells.test'));
        await bosses.page.getByText('The invitation is withdrawn.').waitFor();
        await using guests = await open(new URL(link).pathname);
        await heading(guests.page, 'This invitation no longer works');
      });
    }

    test('an admin changes roles and removes members', async () => {
      const member = await dashboard.user('rosa@bells.test', { role: 'member' });
      await using watched = await open('/settings/members', owner);
      const { page } = watched;
      await rowOf(page, member.email).getByRole('button', { name: 'Make admin' }).click();
      await page.getByText('The role is changed to admin.').waitFor();
      await confirm(page, 'Remove', rowOf(page, member.email));
      await page.getByText('The member is removed.').waitFor();
      assert.equal(await rowOf(page, member.email).count(), 0);
      assert.equal(
        await rowOf(page, owner.email).getByRole('button').count(),
        0,
        'nobody removes the owner',
      );
      watched.assertNoFaults();
    });

    if (!javaScript) {
      test('the API uses another team as soon as the user selects it', async () => {
        await using watched = await open('/teams/new', owner);
        const { page } = watched;
        await page.getByLabel('Name').fill('Second team');
        await page.getByRole('button', { name: 'Create team' }).click();
        await page.getByText('calls with your API token go to it now.').waitFor();
        const send = async (queue: string) => {
          const answer = await fetch(`${dashboard.url}/api/jobs`, {
            method: 'POST',
            headers: {
              Authorization: `Bearer ${owner.apiToken}`,
              'Content-Type': 'application/json',
              Accept: 'application/json',
            },
            body: JSON.stringify({
              queue,
              url: 'http://127.0.0.1:9/',
              payload: { a: 1 },
              delay: 3600,
            }),
          });
          return answer.status;
        };
        assert.equal(await send('to-second'), 201);
        await page.getByLabel(/team/i).first().click();
        await page.getByRole('button', { name: 'Bells' }).click();
        await page.getByRole('banner').getByText('Bells', { exact: true }).first().waitFor();
        assert.equal(await send('to-first'), 201);
        const names = (await dashboard.service.work.listQueues(owner.teamId)).map(
          ({ name }) => name,
        );
        assert.deepEqual(names, ['to-first']);
      });
    }

    if (!javaScript) {
      test('a team is renamed, transferred, and left by its former owner', async () => {
        const boss = await dashboard.user('boss@gongs.test', { team: 'Gongs' });
        const heir = await dashboard.user('heir@gongs.test', { team: 'Gongs', role: 'member' });
        await using watched = await open('/settings/team', boss);
        const { page } = watched;
        await page.getByLabel('Name', { exact: true }).fill('Big gongs');
        await page.getByRole('button', { name: 'Rename team' }).click();
        await page.getByText('The team is renamed.').waitFor();
        await page.goto(`${dashboard.url}/settings/members`);
        await confirm(page, 'Transfer', rowOf(page, heir.email));
        await page.getByText('The team has a new owner.').waitFor();
        await confirm(page, 'Leave team');
        await heading(page, 'Create team');
        await using heirs = await open('/settings/billing', heir);
        await heading(heirs.page, 'Billing');
      });
    }

    test('a team is deleted by typing its name, and its API calls answer 500', async () => {
      const boss = await dashboard.user('boss@drums.test', { team: 'Drums' });
      await dashboard.service.work.setQueue(boss.teamId, 'mail', {});
      await using watched = await open('/settings/team', boss);
      const { page } = watched;
      await page.getByText('0 crons, 1 queue, 0 jobs').waitFor();
      await page.getByText('API calls of its only member').waitFor();
      await page.getByLabel(/^Type Drums/).fill('Trumpets');
      await page.getByRole('button', { name: 'Delete team' }).click();
      await page.getByText("This is not the team's name.").waitFor();
      await page.getByLabel(/^Type Drums/).fill('Drums');
      await page.getByRole('button', { name: 'Delete team' }).click();
      await heading(page, 'Create team');
      const answer = await fetch(`${dashboard.url}/api/jobs`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${boss.apiToken}`,
          'Content-Type': 'application/json',
          Accept: 'application/json',
        },
        body: JSON.stringify({ queue: 'mail', url: 'https://example.com/', payload: { a: 1 } }),
      });
      assert.deepEqual([answer.status, await answer.json()], [500, { message: 'Server Error' }]);
    });
  });
}
