import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { commandsOf, configOf } from '#testing/command-line';
import { makeFolder } from '#testing/guard';

const team = ['--team', 'Acme'];
const password = ['--password', 'correct-horse'];

async function makeTeam() {
  const config = configOf(`sqlite:${path.join(makeFolder(), 'belfry.db')}`);
  const commands = commandsOf(() => config);
  const create = (email: string, name: string) =>
    commands.printed('user', 'create', '--email', email, ...password, '--team', name);
  await commands.printed('migrate');
  await create('ada@acme.test', 'Acme');
  return { ...commands, bob: await create('bob@acme.test', 'Bells') };
}

const bobAs = (...words: string[]) => ['member', ...words, ...team, '--email', 'Bob@acme.test'];

test('member add, role and remove change a membership and print it', async () => {
  const { printed, refused, bob } = await makeTeam();
  const added = await printed(...bobAs('add'));
  assert.deepEqual([added['user_id'], added['role']], [bob['userId'], 'member']);
  assert.equal(await refused(...bobAs('add')), '"Bob@acme.test" is in the team already.');
  const listed = await printed('member', 'list', ...team);
  assert.deepEqual(
    listed.map(({ role }) => role),
    ['owner', 'member'],
  );
  assert.equal((await printed(...bobAs('role'), '--role', 'viewer'))['role'], 'viewer');
  assert.equal((await printed(...bobAs('remove')))['role'], 'viewer');
  assert.equal(
    await refused(...bobAs('remove')),
    '"Bob@acme.test" is not in the team, or owns it.',
  );
  const activity = await printed('activity', 'list', ...team, '--area', 'team');
  const actions = activity.map(({ action }) => action);
  assert.deepEqual(actions, ['member.removed', 'member.role', 'member.added']);
});

test('member commands reject unknown accounts and roles', async () => {
  const { refused } = await makeTeam();
  const nobody = ['member', 'add', ...team, '--email', 'eve@acme.test'];
  assert.equal(await refused(...nobody), 'there is no account with the email "eve@acme.test".');
  assert.match(await refused(...nobody, '--role', 'owner'), /admin, member, viewer/);
  assert.match(await refused(...bobAs('role')), /--role/);
});

test('user delete needs a confirmation and keeps teams that others are in', async () => {
  const { printed, refused } = await makeTeam();
  await printed(...bobAs('add'));
  const remove = (email: string) => ['user', 'delete', '--email', email];
  assert.match(await refused(...remove('ada@acme.test')), /add --yes to confirm\.$/);
  assert.match(
    await refused(...remove('ada@acme.test'), '--yes'),
    /^the account owns teams with other members: "Acme"\./,
  );
  const gone = await printed(...remove('bob@acme.test'), '--yes');
  assert.deepEqual(gone, { email: 'bob@acme.test', deleted: true });
  assert.match(await refused(...remove('bob@acme.test'), '--yes'), /^there is no account/);
  const teams = await printed('team', 'list');
  assert.deepEqual(
    teams.map(({ name }) => name),
    ['Acme'],
  );
});
