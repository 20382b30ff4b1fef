import { Link } from 'react-router';
import { DEFAULT_REF } from '#domain/alerts/alert-settings';
import { isMailedKind, MOST_CHANNELS, nameOfKind } from '#domain/alerts/notification-channel';
import { ChannelTrouble, describeMembers, NoMailServer } from '../alerts/PresentChannel.tsx';
import { describeAddresses, isFailing, nameOfChannel } from '../alerts/alert-words.ts';
import { actionsColumn, type Column, DataTable, timeColumn } from '../lists/DataTable.tsx';
import { ButtonLink } from '../parts/Button.tsx';
import { ConfirmDialog, MoreActions } from '../parts/Popover.tsx';
import { Section } from '../parts/Section.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import type { ChannelUser, ListedChannel } from '../services.ts';
import { actOn, notFound, open } from '../serving/open.ts';
import { countOf } from '../words/amounts.ts';
import type { Route } from './+types/settings.notifications.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { actor, people, work } = open(context, 'notifications');
  const [channels, users, { memberCount }] = await Promise.all([
    work.listChannels(actor.teamId),
    work.listChannelUsers(actor.teamId),
    people.teams.describeTeam(actor),
  ]);
  const rows = channels.map((channel) =>
    Object.assign(channel, { use: countUse(users, channel.id) }),
  );
  return { rows, memberCount, sendsMail: people.accounts.sendsMail() };
}

function countUse(users: readonly ChannelUser[], channelId: string): ChannelUse {
  const own = users.filter(({ settings }) =>
    Object.values(settings.channels).some((refs) => refs.includes(channelId)),
  );
  const crons = own.filter(({ kind }) => kind === 'cron').length;
  return { crons, queues: own.length - crons };
}

export function action({ context }: Route.ActionArgs) {
  const { actor, field, work, intent, say } = open(context, 'notifications');
  return actOn(intent, {
    delete: async () => {
      if (!(await work.deleteChannel(actor.teamId, field('id')))) notFound();
      const text = 'The channel is deleted. Alerts for it go to the default channel.';
      return say('/settings/notifications', text);
    },
  });
}

export default function Notifications({ loaderData }: Route.ComponentProps) {
  const { rows, memberCount, sendsMail } = loaderData;
  return (
    <>
      <div className="stack notices">
        {rows.map((row) => (
          <ChannelTrouble key={row.id} channel={row} by={`“${nameOfChannel(row)}”`} />
        ))}
        {!sendsMail && rows.some(({ kind }) => isMailedKind(kind)) ? <NoMailServer /> : null}
      </div>
      <Section
        title="Channels"
        note="Alerts are sent to the default channel, unless a cron or a queue selects others in its form. They are also listed on the Alerts tab."
      >
        <DataTable
          caption="Notification channels"
          columns={channelColumns(memberCount)}
          rows={rows}
        />
        {rows.length > MOST_CHANNELS ? (
          <p className="muted">
            Your team has the maximum of {MOST_CHANNELS} channels besides the default. Delete one to
            add another.
          </p>
        ) : (
          <ButtonLink to="/settings/notifications/new">Add channel</ButtonLink>
        )}
      </Section>
      <Section
        title="Content of notifications"
        note="A notification contains the reason, the status, the start of the response and a link to the run; never a payload, a header or the target’s address."
      >
        <p>
          Alerts of queues with “Enable email alerts for job failures” are emailed to every member,
          too. Usage of the monthly limit is shown in the app only.
        </p>
      </Section>
    </>
  );
}

type ChannelUse = { crons: number; queues: number };
type ChannelRow = ListedChannel & { use: ChannelUse };

function channelColumns(memberCount: number): Column<ChannelRow>[] {
  return [
    {
      head: 'Status',
      width: '108px',
      cell: (channel) =>
        isFailing(channel) ? (
          <Status name="failed" word="Failing" />
        ) : channel.lastSentAt === null ? (
          <Status name="idle" word="Unused" />
        ) : (
          <Status name="success" word="Works" />
        ),
    },
    {
      head: 'Name',
      cell: (channel) => (
        <span className="two">
          <Link to={`/settings/notifications/${channel.id}`}>{nameOfChannel(channel)}</Link>
          <span className="muted whole">{describeWhere(channel, memberCount)}</span>
        </span>
      ),
    },
    timeColumn('Last sent', ({ lastSentAt }) => lastSentAt, { width: '120px', givesWay: 1 }),
    {
      head: 'Last error',
      width: '170px',
      givesWay: 2,
      cell: ({ lastError, lastErrorAt }) =>
        lastErrorAt === null ? (
          <span className="muted">–</span>
        ) : (
          <span className="two">
            <Time at={lastErrorAt} />
            <span className="muted" title={lastError ?? ''}>
              {lastError}
            </span>
          </span>
        ),
    },
    actionsColumn('132px', (channel) => (
      <span className="row together">
        <ButtonLink to={`/settings/notifications/${channel.id}`} variant="default" size="small">
          Edit
        </ButtonLink>
        {channel.id === DEFAULT_REF ? null : (
          <MoreActions of={nameOfChannel(channel)} isSmall>
            <ConfirmDialog
              word="Delete"
              question={`Delete the channel “${nameOfChannel(channel)}”?`}
              fields={{ intent: 'delete', id: channel.id }}
            >
              {describeUse(channel.use)} This can’t be undone.
            </ConfirmDialog>
          </MoreActions>
        )}
      </span>
    )),
  ];
}

/** `Slack · https://hooks.slack.com/…f3a9` */
function describeWhere({ kind, shown, addresses }: ListedChannel, memberCount: number): string {
  const to =
    kind === 'email'
      ? [`to ${describeMembers(memberCount)}`]
      : kind === 'email-addresses'
        ? [describeAddresses(addresses)]
        : shown.map(({ text }) => text);
  return [nameOfKind(kind), ...to].join(' · ');
}

function describeUse({ crons, queues }: ChannelUse): string {
  if (crons + queues === 0) return 'No cron or queue uses it.';
  const users = [
    ...(crons > 0 ? [countOf(crons, 'cron', 'crons')] : []),
    ...(queues > 0 ? [countOf(queues, 'queue', 'queues')] : []),
  ].join(' and ');
  const [name, their] = crons + queues === 1 ? ['uses', 'Its'] : ['use', 'Their'];
  return `${users} ${name} it. ${their} notifications, including unsent ones, will go to the default channel.`;
}
