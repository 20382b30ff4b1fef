/** §6.5: email channels whose addresses are confirmed and stopped by their recipients. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY_MS } from '#domain/base/instant';
import type { TooMany } from '#people/outcomes';
import type { Actor } from '#people/actor';
import { startScene } from '#testing/alert-scene';
import { MINUTE } from '#testing/scheduling';
import type { TestServiceOptions } from '#testing/service';
import type { ReceivedMail } from '#testing/smtp';
import { forEachStore, type OpenTestStore } from '#testing/stores';

const ADDRESSES = ['night@ops.test', 'ops@ops.test'] as const;
const [NIGHT, OPS] = ADDRESSES;

const ASKS = 'Confirm that you want alerts from Belfry';

function tokenIn({ text }: ReceivedMail, path: 'confirm-address' | 'stop-alerts'): string {
  const [, token] = new RegExp(`/${path}/([\\w.-]+)`).exec(text) ?? [];
  return token ?? assert.fail(`no link to /${path} in:\n${text}`);
}

/** A scene whose mails all go to its mail server, with a channel of these addresses. */
async function startMailed(
  openTestStore: OpenTestStore,
  emails: readonly string[] = ADDRESSES,
  options: TestServiceOptions = {},
) {
  const scene = await startScene(openTestStore, { mails: true, ...options });
  const { service, smtp, teamId } = scene;
  const { people, work, store } = service;
  const { channelAddresses } = people;
  const channelId = await scene.addChannel('On call', {
    kind: 'email-addresses',
    addresses: emails,
  });
  const [owner] = await store.channels.listMemberAddresses(teamId, { onlyVerified: false });
  const actor: Actor = { userId: owner?.userId ?? '', teamId, role: 'owner' };
  const askedBy = (email: string) =>
    smtp.next(({ to, subject }) => to.includes(email) && subject === ASKS);
  const cronId = await scene.makeCronFor({ warning: [channelId], failure: [channelId] });
  return {
    ...scene,
    channelAddresses,
    channelId,
    /** The token of the next confirmation link to an address. */
    token: async (email: string) => tokenIn(await askedBy(email), 'confirm-address'),
    confirm: async (email: string) => {
      const token = tokenIn(await askedBy(email), 'confirm-address');
      assert.deepEqual(await channelAddresses.confirmAddress(token), { kind: 'done' });
    },
    resend: (id: string) => channelAddresses.resendConfirmation(actor, id),
    setAddresses: async (some: readonly string[]) => {
      const config = { kind: 'email-addresses', addresses: some } as const;
      const settings = { name: 'On call', config, collectMinutes: null };
      const outcome = await work.editChannel(teamId, channelId, settings);
      assert.equal(outcome.kind, 'saved');
    },
    addressOf: async (email: string) => {
      const channel = await work.findChannel(teamId, channelId);
      return channel?.addresses.find((each) => each.email === email) ?? assert.fail();
    },
    states: async () => {
      const channel = await work.findChannel(teamId, channelId);
      return channel?.addresses.map(({ email, state }) => [email, state]);
    },
    lastError: async () => (await work.findChannel(teamId, channelId))?.lastError,
    /** Makes the cron fail once and waits for the mails about it. */
    fail: async () => {
      await scene.run(cronId, 'x');
      await scene.allSent();
    },
    /** What arrived, except confirmation links. */
    alertsTo: (email: string) =>
      smtp.mails.filter(({ to, subject }) => to.includes(email) && subject !== ASKS),
  };
}

forEachStore((_name, openTestStore, once) => {
  describe('confirming', () => {
    test('an address gets nothing but its link until a recipient confirms it', async () => {
      await using scene = await startMailed(openTestStore);
      const [token] = [await scene.token(NIGHT), await scene.token(OPS)];
      assert.deepEqual(await scene.states(), [
        [NIGHT, 'waiting'],
        [OPS, 'waiting'],
      ]);
      await scene.fail();
      assert.equal(scene.smtp.mails.length, 2, 'the two links');
      assert.deepEqual(await scene.deliveries(), ['pending']);
      assert.equal(await scene.lastError(), 'no address of the channel is confirmed');

      const { channelAddresses } = scene;
      assert.deepEqual(await channelAddresses.readConfirmation(token), {
        email: NIGHT,
        teamName: 'Analytical Engines',
      });
      assert.deepEqual(await channelAddresses.confirmAddress(token), { kind: 'done' });
      await scene.wait(MINUTE);
      assert.equal(scene.alertsTo(NIGHT).length, 1, 'a retry reached the confirmed address');
      assert.equal(scene.alertsTo(OPS).length, 0);
      assert.deepEqual(await scene.deliveries(), ['sent']);
    });

    once('a link works once, for a week, and until a newer one is sent', async () => {
      await using scene = await startMailed(openTestStore, ADDRESSES, { sends: false });
      const { channelAddresses, service } = scene;
      const expired = { kind: 'expired' };
      const first = await scene.token(NIGHT);
      const { id } = await scene.addressOf(NIGHT);
      assert.deepEqual(await scene.resend(id), { kind: 'sent' });
      const second = await scene.token(NIGHT);
      assert.deepEqual(await channelAddresses.confirmAddress(first), expired, 'replaced');
      assert.deepEqual(await channelAddresses.confirmAddress(second), { kind: 'done' });
      assert.deepEqual(await channelAddresses.confirmAddress(second), expired, 'used');
      assert.equal(await channelAddresses.readConfirmation(second), null);
      assert.deepEqual(await scene.resend(id), { kind: 'not-found' }, 'it is confirmed');

      const late = await scene.token(OPS);
      await service.clock.advance(7 * DAY_MS);
      assert.equal(await channelAddresses.readConfirmation(late), null);
      assert.deepEqual(await channelAddresses.confirmAddress(late), expired);
      assert.equal((await scene.addressOf(OPS)).state, 'waiting');
    });

    once(
      'a link confirms an address in its own channel only, and not after it was removed',
      async () => {
        await using scene = await startMailed(openTestStore);
        const { channelAddresses } = scene;
        const old = await scene.token(NIGHT);
        const other = await scene.addChannel('Other', {
          kind: 'email-addresses',
          addresses: [NIGHT],
        });
        await scene.confirm(NIGHT);
        const found = await scene.service.work.findChannel(scene.teamId, other);
        assert.equal(found?.addresses[0]?.state, 'confirmed');
        assert.equal((await scene.addressOf(NIGHT)).state, 'waiting', 'in its own channel only');
        await scene.setAddresses([OPS]);
        assert.equal(await channelAddresses.readConfirmation(old), null);
        await scene.setAddresses(ADDRESSES);
        const fresh = await scene.token(NIGHT);
        assert.deepEqual(await channelAddresses.confirmAddress(old), { kind: 'expired' });
        assert.equal((await scene.addressOf(NIGHT)).state, 'waiting');
        assert.deepEqual(await channelAddresses.confirmAddress(fresh), { kind: 'done' });
      },
    );

    once('a channel saved while a link is on its way mails no second one', async () => {
      await using scene = await startScene(openTestStore, { mails: true });
      const { smtp, addChannel } = scene;
      const arrived = Promise.withResolvers<void>();
      const held = Promise.withResolvers<null>();
      smtp.judgeMails(({ to }) => {
        if (!to.includes(NIGHT)) return null;
        arrived.resolve();
        return held.promise;
      });
      await addChannel('First', { kind: 'email-addresses', addresses: [NIGHT] });
      await arrived.promise;
      await addChannel('Second', { kind: 'email-addresses', addresses: [OPS] });
      await smtp.next(({ to }) => to.includes(OPS));
      held.resolve(null);
      await smtp.waitFor(2);
      await addChannel('Third', { kind: 'email-addresses', addresses: ['z@ops.test'] });
      await smtp.next(({ to }) => to.includes('z@ops.test'));
      assert.equal(smtp.mails.length, 3);
    });

    once('an address whose link could not be mailed is asked by the next saving', async () => {
      await using scene = await startMailed(openTestStore, [OPS]);
      const { smtp } = scene;
      await scene.token(OPS);
      smtp.judgeRecipients((to) => (to === NIGHT ? { code: 450, text: 'later' } : null));
      await scene.setAddresses([NIGHT, 'z@ops.test']);
      await scene.token('z@ops.test');
      const { id, askedAt } = await scene.addressOf(NIGHT);
      assert.equal(askedAt, null);
      const error = 'the mail server said “450 later”';
      assert.deepEqual(await scene.resend(id), { kind: 'failed', error });
      smtp.judgeRecipients(() => null);
      await scene.setAddresses([NIGHT]);
      await scene.token(NIGHT);
    });

    once('a link of another purpose confirms nothing', async () => {
      await using scene = await startMailed(openTestStore, [NIGHT]);
      const { service, channelAddresses } = scene;
      const confirmation = await scene.token(NIGHT);
      const url = await service.people.operator.resetPasswordUrl('ada@example.com');
      const reset = url?.split('/').at(-1) ?? '';
      assert.ok(await service.people.accounts.isResetTokenValid(reset));
      assert.deepEqual(await channelAddresses.confirmAddress(reset), { kind: 'expired' });
      assert.ok(await service.people.accounts.isResetTokenValid(reset), 'it is not used up');
      assert.equal(await service.people.accounts.isResetTokenValid(confirmation), false);
      assert.equal((await scene.addressOf(NIGHT)).state, 'waiting');
    });

    once('a channel that was a chat meanwhile has its addresses confirmed again', async () => {
      await using scene = await startMailed(openTestStore, [NIGHT]);
      await scene.confirm(NIGHT);
      const config = { kind: 'slack', url: `${scene.chat.url}/slack` } as const;
      const settings = { name: 'On call', config, collectMinutes: null };
      await scene.service.work.editChannel(scene.teamId, scene.channelId, settings);
      await scene.setAddresses([NIGHT]);
      assert.deepEqual(await scene.states(), [[NIGHT, 'waiting']]);
    });
  });

  describe('limits of confirmation links', () => {
    once('a team mails one address three links a day, also if it adds it anew', async () => {
      await using scene = await startMailed(openTestStore, ADDRESSES, { sends: false });
      const links = async () => {
        await scene.allSent();
        return scene.smtp.mails.filter(({ to }) => to.includes(NIGHT)).length;
      };
      await scene.token(NIGHT);
      await scene.confirm(OPS);
      for (let n = 0; n < 4; n++) {
        await scene.setAddresses([OPS]);
        // The addresses are asked in order, so the last one's link shows that the first was asked or skipped.
        await scene.setAddresses([NIGHT, OPS, `z${n}@ops.test`]);
        await scene.token(`z${n}@ops.test`);
      }
      assert.equal(await links(), 3);
      const { id, askedAt } = await scene.addressOf(NIGHT);
      assert.equal(askedAt, null, 'the page shows that no link was mailed');
      const refused = (await scene.resend(id)) as TooMany;
      assert.equal(refused.kind, 'too-many');
      await scene.service.clock.advance(DAY_MS);
      assert.deepEqual(await scene.resend(id), { kind: 'sent' });
      assert.equal(await links(), 4);
    });

    once('all teams together mail one address five links an hour', async () => {
      await using scene = await startMailed(openTestStore, [NIGHT]);
      const { store, work, clock } = scene.service;
      await scene.token(NIGHT);
      for (let n = 1; n <= 6; n++) {
        const { id: team } = await store.teams.create(`Team ${n}`, 'free', clock.now());
        const addresses = [NIGHT, `z${n}@ops.test`];
        await work.setChannel(team, { kind: 'email-addresses', addresses });
        await scene.token(`z${n}@ops.test`);
      }
      const links = scene.smtp.mails.filter(({ to }) => to.includes(NIGHT));
      assert.equal(links.length, 5);
    });
  });

  describe('notifications', () => {
    once('each mail has a link that stops it at once, which the team sees', async () => {
      await using scene = await startMailed(openTestStore);
      await scene.confirm(NIGHT);
      await scene.confirm(OPS);
      await scene.fail();
      const [mail] = scene.alertsTo(NIGHT);
      assert.ok(mail);
      const token = tokenIn(mail, 'stop-alerts');
      const url = `${scene.service.url}/stop-alerts/${token}`;
      assert.ok(mail.html.includes(`href="${url}"`));
      const header = (key: string) => mail.headers.find((each) => each.key === key)?.value;
      assert.equal(header('list-unsubscribe'), `<${url}>`);
      assert.equal(header('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
      const [other] = scene.alertsTo(OPS);
      assert.notEqual(other && tokenIn(other, 'stop-alerts'), token);

      const { channelAddresses } = scene;
      assert.equal((await channelAddresses.readStop(token))?.email, NIGHT);
      assert.deepEqual(await channelAddresses.stopAddress(token), { kind: 'done' });
      assert.deepEqual(await channelAddresses.stopAddress(token), { kind: 'done' }, 'again');
      assert.deepEqual(await scene.states(), [
        [NIGHT, 'stopped'],
        [OPS, 'confirmed'],
      ]);
      const activity = { area: 'notifications', withAccess: false, limit: 1 } as const;
      const [entry] = await scene.service.work.listActivity(scene.teamId, activity);
      assert.deepEqual([entry?.action, entry?.detail], ['channel.address-stopped', NIGHT]);
      await scene.service.advance(MINUTE);
      await scene.fail();
      assert.deepEqual([scene.alertsTo(NIGHT).length, scene.alertsTo(OPS).length], [1, 1]);
    });

    once('a stop link that is changed in any part stops nothing', async () => {
      await using scene = await startMailed(openTestStore);
      await scene.confirm(NIGHT);
      await scene.confirm(OPS);
      const { stopUrlOf } = scene.service.people;
      const [night, ops] = [await scene.addressOf(NIGHT), await scene.addressOf(OPS)];
      const tokenOf = (id: string) => stopUrlOf(scene.teamId, id).split('/').at(-1) ?? '';
      const [team = '', , mac = ''] = tokenOf(night.id).split('.');
      for (const token of [
        'x',
        `${team}.${night.id}`,
        `${team}.${ops.id}.${mac}`,
        `${night.id}.${team}.${mac}`,
        `${tokenOf(night.id)}.${mac}`,
      ])
        assert.equal((await scene.channelAddresses.stopAddress(token)).kind, 'expired', token);
      await scene.setAddresses([OPS]);
      const gone = await scene.channelAddresses.stopAddress(tokenOf(night.id));
      assert.deepEqual(gone, { kind: 'expired' }, 'the address was removed');
      assert.deepEqual(await scene.states(), [[OPS, 'confirmed']]);
    });

    once(
      'a mail that fails is retried to its address alone, unless that is removed between',
      async () => {
        await using scene = await startMailed(openTestStore);
        await scene.confirm(NIGHT);
        await scene.confirm(OPS);
        const refuse = (address: string) =>
          scene.smtp.judgeRecipients((to) =>
            to === address ? { code: 450, text: 'later' } : null,
          );
        refuse(NIGHT);
        await scene.fail();
        assert.deepEqual([scene.alertsTo(NIGHT).length, scene.alertsTo(OPS).length], [0, 1]);
        assert.match((await scene.lastError()) ?? '', /night@ops\.test was not accepted/);
        scene.smtp.judgeRecipients(() => null);
        await scene.wait(MINUTE);
        assert.deepEqual([scene.alertsTo(NIGHT).length, scene.alertsTo(OPS).length], [1, 1]);
        assert.deepEqual(await scene.deliveries(), ['sent']);

        const again = await scene.makeCronFor({ failure: [scene.channelId] });
        refuse(OPS);
        await scene.run(again, 'x');
        await scene.allSent();
        await scene.setAddresses([NIGHT]);
        scene.smtp.judgeRecipients(() => null);
        await scene.wait(MINUTE);
        assert.deepEqual([scene.alertsTo(NIGHT).length, scene.alertsTo(OPS).length], [2, 1]);
        assert.deepEqual(await scene.deliveries(), ['sent', 'sent']);
      },
    );

    once('a test goes to the confirmed addresses of the stored channel only', async () => {
      await using scene = await startMailed(openTestStore);
      await scene.token(OPS);
      const addresses = [...ADDRESSES, 'new@ops.test'];
      const config = { kind: 'email-addresses', addresses } as const;
      const none = { kind: 'failed', error: 'no address of the channel is confirmed' };
      assert.deepEqual(await scene.sendTest(config, scene.channelId), none);
      await scene.confirm(NIGHT);
      assert.deepEqual(await scene.sendTest(config, scene.channelId), { kind: 'sent' });
      const without = { ...config, addresses: [OPS] };
      assert.deepEqual(await scene.sendTest(without, scene.channelId), none, 'not in the form');
      assert.deepEqual(await scene.sendTest(config, null), none, 'an unsaved channel');
      assert.deepEqual(await scene.sendTest(config, 'default'), none, 'another channel');
      const counts = addresses.map((email) => scene.alertsTo(email).length);
      assert.deepEqual(counts, [1, 0, 0]);
    });
  });
});
