import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useCommands } from '#testing/command-line';

const team = ['--team', 'Acme'];

describe('service accounts on the command line (§5.11)', () => {
  const { printed, refused } = useCommands();
  const command = (verb: string, name?: string) => [
    'service-account',
    verb,
    ...team,
    ...(name === undefined ? [] : ['--name', name]),
  ];

  test('service-account create, list and revoke print the account, and the token only once', async () => {
    const made = await printed(...command('create', 'billing'));
    assert.match(String(made['apiToken']), /^belfry_service_[\w-]{43}$/);
    assert.deepEqual(Object.keys(made), ['id', 'apiToken']);
    const [listed] = await printed(...command('list'));
    const { made_by: by, hint } = listed ?? {};
    assert.deepEqual([by, hint], ['Command line', String(made['apiToken']).slice(-4)]);
    const revoked = await printed(...command('revoke', 'billing'));
    assert.deepEqual(revoked, { ...listed, revoked: true });
    assert.deepEqual(await printed(...command('list')), []);
    const activity = await printed('activity', 'list', ...team, '--area', 'access');
    const actions = activity.map(({ action }) => action);
    assert.deepEqual(actions, ['service-account.revoked', 'service-account.created']);
    assert.ok(!JSON.stringify(activity).includes(String(made['apiToken'])));
  });

  test('service-account commands refuse taken, missing and unknown names', async () => {
    await printed(...command('create', 'taken'));
    assert.equal(
      await refused(...command('create', 'taken')),
      '--name: The team has a service account with this name.',
    );
    assert.equal(
      await refused(...command('revoke', 'other')),
      'the team has no service account "other".',
    );
  });
});
