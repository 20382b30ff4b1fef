import type { Command } from 'commander';
import { countOf } from '#domain/base/amounts';
import { normalizeEmail } from '#domain/team/email-address';
import { MOST_CHANNELS } from '#domain/alerts/notification-channel';
import { addCollectionCommands } from './collection-commands.ts';
import { CHANNELS, WINDOWS } from './collections.ts';
import { CommandFault } from './fault.ts';
import type { OpenModules } from './services.ts';
import { type Session, show } from './session.ts';

export function addChannelCommands(program: Command, session: Session): void {
  const channel = program.command('channel').description('notification channels');
  const verb = addCollectionCommands(session, channel, CHANNELS, {
    create: {
      name: 'add',
      description: `add a channel in addition to the default, up to ${MOST_CHANNELS}`,
    },
    edits: true,
    delete: { name: 'remove', description: 'remove a channel; the default takes its place' },
  });
  verb('test', 'send a test by a channel', async ({ teamId, item: { id, config } }, { name }) => {
    const modules = await session.open();
    await modules.people.recordChannelTest(teamId, config);
    const outcome = await modules.sendTest(teamId, config, id);
    if (outcome.kind === 'failed')
      throw new CommandFault(`the test was not sent: ${outcome.error}`);
    return { name, outcome: outcome.kind };
  });
  verb('resend', 'mail the confirmation link of an address again', async (place, options) => {
    const email = normalizeEmail(String(options['address']));
    const address = place.item.addresses.find((each) => each.email === email);
    if (!address) throw new CommandFault(`the channel has no address ${show(email)}.`);
    const { people } = await session.open();
    const outcome = await people.resendConfirmationLink(place.teamId, address.id);
    return { email, outcome: takeResent(outcome) };
  }).requiredOption('--address <EMAIL>', 'the address');
}

type Resent = Awaited<ReturnType<OpenModules['people']['resendConfirmationLink']>>;

function takeResent(outcome: Resent): string {
  switch (outcome.kind) {
    case 'not-found':
      throw new CommandFault('the address is not waiting for its confirmation.');
    case 'too-many': {
      const minutes = countOf(Math.ceil(outcome.retryAfterSeconds / 60), 'minute');
      throw new CommandFault(`it got too many links; try again in ${minutes}.`);
    }
    case 'failed':
      throw new CommandFault(`the link was not mailed: ${outcome.error}.`);
    case 'sent':
    case 'logged':
      return outcome.kind;
  }
}

export function addWindowCommands(program: Command, session: Session): void {
  const window = program.command('window').description('maintenance windows');
  addCollectionCommands(session, window, WINDOWS, {
    create: {
      name: 'create',
      description: 'create a window that mutes the team, or crons and queues',
    },
    edits: true,
    delete: { name: 'delete', description: 'delete a window, which ends it' },
  });
}
