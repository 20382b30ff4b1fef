import { ButtonLink } from '../parts/Button.tsx';
import { isMailedKind, MOST_CHANNELS } from '#domain/alerts/notification-channel';
import { nameOfChannel } from '../alerts/alert-words.ts';
import { channelColumns, type ChannelUse } from '../alerts/ChannelTable.tsx';
import { ChannelTrouble, NoMailServer } from '../alerts/PresentChannel.tsx';
import { DataTable } from '../lists/DataTable.tsx';
import { Section } from '../parts/Section.tsx';
import { actOn, notFound, open } from '../serving/open.ts';
import type { ChannelUser } from '../services.ts';
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
