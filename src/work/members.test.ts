import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_ALERT_SETTINGS } from '#domain/alerts/alert-settings';
import { NotAllowed } from '#domain/http/not-allowed';
import { aCron } from '#testing/factories';
import { ANYBODY, openWork } from '#testing/work';
import type { Need } from './verbs.ts';

const HOUR = 3_600_000;
const MEMBER = { ...ANYBODY, may: (need: Need) => need !== 'notifications' };

const open = async () => {
  const fixture = await openWork();
  const { work: all, team } = fixture;
  return { ...fixture, all, member: all.for(MEMBER), teamId: team.id };
};

const silent = (level: 'failure' | 'warning') => {
  const channels = { ...NO_ALERT_SETTINGS.channels, [level]: [] };
  return { alertSettings: { ...NO_ALERT_SETTINGS, channels } };
};
const [nobody, someone] = [silent('failure'), silent('warning')];

test('§5.8: a member reaches no method of notification channels that needs an admin', async () => {
  await using fixture = await open();
  const { member, teamId } = fixture;
  const config = { kind: 'email' } as const;
  const settings = { name: 'Mine', config, collectMinutes: null };
  for (const act of [
    () => member.setChannel(teamId, config),
    () => member.addChannel(teamId, settings),
    () => member.editChannel(teamId, teamId, settings),
    () => member.deleteChannel(teamId, teamId),
    () => member.listChannelSettings(teamId),
    () => member.findChannelConfig(teamId, 'default'),
  ]) {
    await assert.rejects(act, NotAllowed, act.toString());
  }
  assert.equal((await member.listChannelChoices(teamId)).length, 1, 'a member chooses among them');
});

test('§5.8: a member mutes chosen crons and queues, and an admin the whole team', async () => {
  await using fixture = await open();
  const { store, member, all, teamId } = fixture;
  const cron = await aCron(store, teamId);
  const covers = [{ kind: 'cron', id: cron.id }] as const;
  const now = store.clock.now();
  const window = { name: 'Upgrade', startsAt: now, endsAt: now + HOUR, isWeekly: false };
  await assert.rejects(member.createWindow(teamId, { ...window, covers: 'team' }), NotAllowed);
  await assert.rejects(member.startMaintenanceNow(teamId, 'team'), NotAllowed);
  const mine = await member.startMaintenanceNow(teamId, covers);
  assert.ok(mine.kind === 'done');
  const widened = { ...window, covers: 'team' } as const;
  await assert.rejects(member.editWindow(teamId, mine.window.id, widened), NotAllowed);
  const edited = await member.editWindow(teamId, mine.window.id, { ...window, covers });
  assert.equal(edited.kind, 'done');
  const whole = await all.createWindow(teamId, { ...window, covers: 'team' });
  assert.ok(whole.kind === 'done');
  const narrowed = member.editWindow(teamId, whole.window.id, { ...window, covers });
  await assert.rejects(narrowed, NotAllowed);
  assert.equal(await member.deleteWindow(teamId, whole.window.id), true, 'ends a mute');
  assert.equal((await member.muteCron(teamId, cron.id, 24)).kind, 'done');
});

test('setQueue and editQueue let only an admin choose no channel for failures (§5.8)', async () => {
  await using fixture = await open();
  const { member, all, teamId } = fixture;
  await assert.rejects(member.setQueue(teamId, 'mail', nobody), NotAllowed);
  assert.equal(await all.findQueueByName(teamId, 'mail'), null);
  const { id } = await member.setQueue(teamId, 'mail', someone);
  await assert.rejects(member.setQueue(teamId, 'mail', nobody), NotAllowed);
  await assert.rejects(member.editQueue(teamId, id, nobody), NotAllowed);
  assert.deepEqual((await all.findQueue(teamId, id))?.alertSettings, someone.alertSettings);
  await all.editQueue(teamId, id, nobody);
  const kept = await member.editQueue(teamId, id, { ...nobody, timeoutSeconds: 7 });
  assert.equal(kept?.timeoutSeconds, 7, 'what an admin has chosen may stay');
  await member.editQueue(teamId, id, someone);
  await assert.rejects(member.editQueue(teamId, id, nobody), NotAllowed);
});
