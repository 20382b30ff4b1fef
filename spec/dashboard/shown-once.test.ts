import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD } from '#testing/dashboard';
import { heading, press, usePages } from '#testing/pages';

/** What is shown once stays until it was taken, whatever the page does meanwhile. */

const { dashboard, open: openPage } = usePages({}, { sends: false });

let opened = 0;
const open = async (path: string) => {
  const name = `newcomer${++opened}`;
  const user = await dashboard.user(`${name}@bells.test`, { team: name });
  return openPage(path, user);
};

test('leaving the page of a new API token asks until the token is copied', async () => {
  await using watched = await open('/settings/api-token');
  const { page } = watched;
  await page.getByLabel('Password, to replace it', { exact: true }).fill(PASSWORD);
  await press(page, 'Regenerate token');
  const shown = page.getByLabel('API token', { exact: true });
  const token = (await shown.textContent()) ?? '';
  // The click ends only after the answer.
  const asked = page.waitForEvent('dialog').then(async (dialog) => {
    await dialog.dismiss();
    return dialog.message();
  });
  await page.getByRole('link', { name: 'Crons' }).click();
  assert.match(await asked, /^Leave without a copy\? The API token is shown this once\./);
  assert.equal(await shown.textContent(), token);
  await press(page, 'Copy API token');
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  await page.getByRole('link', { name: 'Crons' }).click();
  await heading(page, 'Crons');
  watched.assertNoFaults();
});

test('the key and codes of a second factor stay after a wrong code', async () => {
  await using watched = await open('/settings/profile');
  const { page } = watched;
  const section = page.locator('section').filter({ hasText: 'Second factor' });
  await section.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await press(section, 'Set up');
  const kept = section.getByRole('group', { name: 'Keep these now: they are shown once.' });
  const codes = await kept.locator('pre').textContent();
  await section.getByLabel('Code that the authenticator shows now').fill('000000');
  await press(section, 'Turn on');
  await section.getByText('This code is not right.').waitFor();
  assert.equal(await kept.locator('pre').textContent(), codes);
  assert.match((await kept.locator('a').first().getAttribute('href')) ?? '', /^otpauth:/);
});
