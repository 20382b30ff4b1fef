import type { Command } from 'commander';
import { MOST_CHANNELS } from '#domain/notification-channel';
import { addCollectionCommands } from './collection-commands.ts';
import { CHANNELS, WINDOWS } from './collections.ts';
import { CommandFault } from './fault.ts';
import type { Session } from './session.ts';

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
