import { open } from '../serving/open.ts';
import { DEFAULT_CHANNEL } from '#domain/notification-channel';
import { answerChannelForm, type ChannelAnswer } from '../alerts/channel-form.ts';
import { ChannelForm } from '../alerts/ChannelForm.tsx';
import { Section } from '../parts/Section.tsx';
import type { Route } from './+types/settings.notifications.new.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { actor, teams } = open(context, 'notifications');
  const { memberCount } = await teams.describeTeam(actor);
  return { memberCount };
}

export async function action({ context }: Route.ActionArgs) {
  return answerChannelForm(context, {
    current: DEFAULT_CHANNEL,
    isNamed: true,
    save: (work, teamId, settings) => work.addChannel(teamId, settings),
    done: ({ name }) => `The channel “${name}” is added. Crons and queues can name it now.`,
  });
}

const empty: ChannelAnswer = {
  formValues: { name: '', kind: 'slack', collect_minutes: '', values: {} },
};

export default function NewChannel({ loaderData, actionData }: Route.ComponentProps) {
  return (
    <Section
      title="Add a channel"
      note="Nothing goes there until a cron or a queue names it in its form."
    >
      <ChannelForm
        channel={null}
        answer={actionData ?? empty}
        isNamed
        memberCount={loaderData.memberCount}
      />
    </Section>
  );
}
