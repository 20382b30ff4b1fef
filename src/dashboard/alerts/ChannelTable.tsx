import { ButtonLink } from '../parts/Button.tsx';
import { Link } from 'react-router';
import { DEFAULT_REF } from '#domain/alerts/alert-settings';
import { nameOfKind } from '#domain/alerts/notification-channel';
import { countOf } from '../words/amounts.ts';
import { actionsColumn, type Column } from '../lists/DataTable.tsx';
import { ConfirmDialog, MoreActions } from '../parts/Popover.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import type { ListedChannel } from '../services.ts';
import { describeAddresses, isFailing, nameOfChannel } from './alert-words.ts';
import { describeMembers } from './PresentChannel.tsx';

export type ChannelUse = { crons: number; queues: number };
type ChannelRow = ListedChannel & { use: ChannelUse };

export function channelColumns(memberCount: number): Column<ChannelRow>[] {
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
    {
      head: 'Last sent',
      width: '120px',
      givesWay: 1,
      cell: ({ lastSentAt }) => <Time at={lastSentAt} />,
    },
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
      <span className="row" style={{ flexWrap: 'nowrap', gap: 6 }}>
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
