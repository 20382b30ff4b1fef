import type { Command } from 'commander';
import { DEFAULT_REF } from '#domain/alert-settings';
import { MOST_CHANNELS } from '#domain/notification-channel';
import type { ChannelOutcome, ListedChannel } from '#work/channels';
import { CHANNEL, readNamedChannelInput } from '#work/resources/channel';
import type { Work } from '#work/work';
import { CommandFault } from './fault.ts';
import { accept, addFieldOptions, type Options, readOptions } from './fields.ts';
import { addTeamOption } from './options.ts';
import { writeChannel } from './records.ts';
import { show, type Session } from './session.ts';

const COLUMNS = ['id', 'name', 'kind', 'collect_minutes', 'last_sent_at', 'last_error'] as const;

interface Named {
  team: string;
  name: string;
}

/** list, add, remove and test. */
export function addChannelCommands(program: Command, session: Session): void {
  const channel = program.command('channel').description('notification channels');
  addTeamOption(channel.command('list').description("a team's channels, the default first")).action(
    async ({ team }: { team: string }) => {
      const { teamId, work } = await session.findTeam(team);
      session.printList((await work.listChannels(teamId)).map(writeChannel), COLUMNS);
    },
  );
  const add = channel
    .command('add')
    .description(`add a channel in addition to the default, up to ${MOST_CHANNELS}`);
  addFieldOptions(addTeamOption(add), CHANNEL, { isNew: true }).action(
    (options: Options & { team: string }) => addChannel(session, options),
  );
  const named = (name: string, description: string, act: (given: Named) => Promise<void>) =>
    addTeamOption(channel.command(name).description(description))
      .requiredOption('--name <N>', "the channel's name, or default")
      .action(act);
  named('remove', 'remove a channel; the default takes its place', async (given) => {
    const { teamId, work } = await session.findTeam(given.team);
    const found = await findNamed(work, teamId, given);
    if (found.id === DEFAULT_REF) throw new CommandFault('the default channel stays.');
    if (!(await work.deleteChannel(teamId, found.id))) throw noChannel(given);
    session.print(writeChannel(found));
  });
  named('test', 'send a test by a channel', (given) => testChannel(session, given));
}

async function addChannel(session: Session, { team, ...options }: Options & { team: string }) {
  const fields = await readOptions(session, CHANNEL, options);
  const settings = accept(CHANNEL, readNamedChannelInput(fields, { kind: 'email' }));
  const { teamId, work } = await session.findTeam(team);
  acceptChannel(await work.addChannel(teamId, settings), settings.name);
  session.print(writeChannel(await findNamed(work, teamId, { team, name: settings.name })));
}

/** Throws a CommandFault if a channel was not saved. */
export function acceptChannel(outcome: ChannelOutcome, name: string): void {
  switch (outcome.kind) {
    case 'saved':
      return;
    case 'same':
      throw new CommandFault(`it leads to the same place as ${outcome.as}.`);
    case 'too-many':
      throw new CommandFault('the team has as many channels as it may have.');
    case 'name-taken':
      throw new CommandFault(`the team has a channel ${show(name)} already.`);
    case 'not-found':
      throw new CommandFault('it was deleted meanwhile.');
  }
}

async function testChannel(session: Session, given: Named): Promise<void> {
  const { teamId, work } = await session.findTeam(given.team);
  const { id } = await findNamed(work, teamId, given);
  const config = await work.findChannelConfig(teamId, id);
  if (!config) throw noChannel(given);
  const rooms = await session.open();
  await rooms.people.recordChannelTest(teamId, config);
  const outcome = await rooms.sendTest(teamId, config);
  if (outcome.kind === 'failed') throw new CommandFault(`the test was not sent: ${outcome.error}`);
  session.print({ name: given.name, outcome: outcome.kind });
}

async function findNamed(work: Work, teamId: string, given: Named): Promise<ListedChannel> {
  const channels = await work.listChannels(teamId);
  const found = channels.find((each) => (each.name ?? DEFAULT_REF) === given.name);
  if (!found) throw noChannel(given);
  return found;
}

const noChannel = ({ team, name }: Named) =>
  new CommandFault(`the team ${show(team)} has no channel ${show(name)}.`);
