import { type Command, Option } from 'commander';
import { DEFAULT_REF } from '#domain/alert-settings';
import {
  CHANNEL_KINDS,
  CHANNEL_NAME_CHARACTERS,
  DEFAULT_CHANNEL,
  MOST_CHANNELS,
} from '#domain/notification-channel';
import { readNamedChannelInput } from '#work/resources/channel';
import type { ListedChannel } from '#work/channels';
import type { Work } from '#work/work';
import { CommandFault } from './fault.ts';
import { addTeamOption } from './options.ts';
import { accept, fieldsOf, type Members, refuseBlank } from './readings.ts';
import { writeChannel } from './records.ts';
import { readSecret, SECRET_FROM } from './secrets.ts';
import { show, type Session } from './session.ts';

const COLUMNS = ['id', 'name', 'kind', 'collect_minutes', 'last_sent_at', 'last_error'] as const;

interface NewChannel {
  team: string;
  name: string;
  kind: string;
  url?: string;
  token?: string;
  chatId?: string;
  routingKey?: string;
  server?: string;
  collectMinutes?: string;
}

const OPTION_OF = {
  name: '--name',
  kind: '--kind',
  url: '--url',
  token: '--token',
  chat_id: '--chat-id',
  routing_key: '--routing-key',
  server: '--server',
  collect_minutes: '--collect-minutes',
} as const;

/** list, add, remove and test. */
export function addChannelCommands(program: Command, session: Session): void {
  const channel = program.command('channel').description('notification channels');
  addTeamOption(channel.command('list').description("a team's channels, the default first")).action(
    async ({ team }: { team: string }) => {
      const { teamId, work } = await session.findTeam(team);
      session.printList((await work.listChannels(teamId)).map(writeChannel), COLUMNS);
    },
  );
  addTeamOption(
    channel.command('add').description(`add a channel beside the default, up to ${MOST_CHANNELS}`),
  )
    .requiredOption('--name <N>', `its name, up to ${CHANNEL_NAME_CHARACTERS} characters`)
    .addOption(
      new Option('--kind <KIND>', 'what it is')
        .choices(['email', ...Object.keys(CHANNEL_KINDS)])
        .makeOptionMandatory(),
    )
    .option('--url <U>', `the address of a webhook or a topic${SECRET_FROM}`)
    .option('--token <T>', `a token${SECRET_FROM}`)
    .option('--chat-id <ID>', `the id of a chat${SECRET_FROM}`)
    .option('--routing-key <K>', `an integration key${SECRET_FROM}`)
    .option('--server <U>', 'another server than the usual one')
    .option('--collect-minutes <N>', 'for so long notices wait for others, to be told as one')
    .action((options: NewChannel) => addChannel(session, options));
  addNamed(
    channel.command('remove').description('remove a channel; the default takes its place'),
  ).action(async ({ team, name }: { team: string; name: string }) => {
    const { teamId, work } = await session.findTeam(team);
    const found = await findNamed(work, teamId, { team, name });
    if (found.id === DEFAULT_REF) throw new CommandFault('the default channel stays.');
    if (!(await work.deleteChannel(teamId, found.id))) throw noChannel(team, name);
    session.print(writeChannel(found));
  });
  addNamed(channel.command('test').description('send a test by a channel')).action(
    (options: { team: string; name: string }) => testChannel(session, options),
  );
}

function addNamed(command: Command): Command {
  return addTeamOption(command).requiredOption('--name <N>', "the channel's name, or default");
}

async function addChannel(session: Session, { team, ...options }: NewChannel): Promise<void> {
  const members = await readMembers(session, options);
  const settings = accept(readNamedChannelInput(fieldsOf(members), DEFAULT_CHANNEL), OPTION_OF);
  const { teamId, work } = await session.findTeam(team);
  const outcome = await work.addChannel(teamId, settings);
  switch (outcome.kind) {
    case 'saved':
      return session.print(writeChannel(await findNamed(work, teamId, { team, ...settings })));
    case 'same':
      throw new CommandFault(`it leads to the same place as ${outcome.as}.`);
    case 'too-many':
      throw new CommandFault('the team has as many channels as it may have.');
    case 'name-taken':
      throw new CommandFault(`the team has a channel ${show(settings.name)} already.`);
    case 'not-found':
      throw new Error('a new channel is looked for nowhere');
  }
}

async function readMembers(session: Session, options: Omit<NewChannel, 'team'>): Promise<Members> {
  const texts = {
    name: options.name,
    kind: options.kind,
    url: options.url,
    token: options.token,
    chat_id: options.chatId,
    routing_key: options.routingKey,
    server: options.server,
    collect_minutes: options.collectMinutes,
  };
  const members: Members = {};
  for (const [field, text] of Object.entries(texts)) {
    if (text === undefined) continue;
    const option = OPTION_OF[field as keyof typeof texts];
    refuseBlank(option, text);
    const isPlain = field === 'name' || field === 'kind';
    members[field] = JSON.stringify(isPlain ? text : await readSecret(session, option, text));
  }
  return members;
}

async function testChannel(
  session: Session,
  { team, name }: { team: string; name: string },
): Promise<void> {
  const { teamId, work } = await session.findTeam(team);
  const { id } = await findNamed(work, teamId, { team, name });
  const config = await work.findChannelConfig(teamId, id);
  if (!config) throw noChannel(team, name);
  const rooms = await session.open();
  await rooms.people.recordChannelTest(teamId, config);
  const outcome = await rooms.sendTest(teamId, config);
  if (outcome.kind === 'failed') throw new CommandFault(`the test was not sent: ${outcome.error}`);
  session.print({ name, outcome: outcome.kind });
}

async function findNamed(
  work: Work,
  teamId: string,
  { team, name }: { team: string; name: string },
): Promise<ListedChannel> {
  const channels = await work.listChannels(teamId);
  const found = channels.find((each) => (each.name ?? DEFAULT_REF) === name);
  if (!found) throw noChannel(team, name);
  return found;
}

const noChannel = (team: string, name: string) =>
  new CommandFault(`the team ${show(team)} has no channel ${show(name)}.`);
