import { open } from '../serving/open.ts';
import { DEFAULT_REF } from '#domain/alert-settings';
import { answerChannelForm, type ChannelAnswer } from '../alerts/channel-form.ts';
import { ChannelForm } from '../alerts/ChannelForm.tsx';
import { nameChannel, nameOfChannel } from '../alerts/alert-words.ts';
import { formValuesOfChannel } from '../alerts/channel-form-values.ts';
import { PresentChannel } from '../alerts/PresentChannel.tsx';
import { notFound } from '../context.ts';
import { notHere } from '../serving/not-here.ts';
import { Section } from '../parts/Section.tsx';
import type { ChannelSettings } from '../services.ts';
import type { Route } from './+types/settings.notifications.$id.ts';

export async function loader({ params: { id }, context }: Route.LoaderArgs) {
  const { actor, people, work } = open(context, 'notifications');
  const find = (teamId: string) => work.findChannel(teamId, id);
  const [found, config, { memberCount }] = await Promise.all([
    find(actor.teamId),
    work.findChannelConfig(actor.teamId, id),
    people.teams.describeTeam(actor),
  ]);
  const channel = found ?? (await notHere(context, find));
  const formValues = formValuesOfChannel(
    channel.name ?? '',
    config ?? { kind: 'email' },
    channel.collectMinutes,
  );
  return { channel, formValues, memberCount, sendsMail: people.accounts.sendsMail() };
}

export async function action({ params: { id }, context }: Route.ActionArgs) {
  const { actor, work } = open(context, 'notifications');
  const current = (await work.findChannelConfig(actor.teamId, id)) ?? notFound();
  const isNamed = id !== DEFAULT_REF;
  return answerChannelForm(context, {
    current,
    isNamed,
    save: (work, teamId, settings) =>
      isNamed
        ? work.editChannel(teamId, id, settings)
        : work.setChannel(teamId, settings.config, settings.collectMinutes),
    done: (settings) =>
      isNamed ? `The channel “${settings.name}” is saved.` : sayDefault(settings),
  });
}

function sayDefault({ config: { kind } }: ChannelSettings): string {
  const to = kind === 'email' ? 'every member by email' : nameChannel(kind);
  return `Alerts go to ${to} from now on.`;
}

export default function EditChannel({ loaderData, actionData }: Route.ComponentProps) {
  const { channel, formValues, memberCount, sendsMail } = loaderData;
  const answer: ChannelAnswer = actionData ?? { formValues };
  const name = nameOfChannel(channel);
  return (
    <>
      <Section
        title={name}
        note={
          channel.id === DEFAULT_REF
            ? 'Where alerts go, unless a cron or a queue names other channels.'
            : 'Told by the crons and queues that name it in their forms.'
        }
      >
        <PresentChannel channel={channel} memberCount={memberCount} sendsMail={sendsMail} />
      </Section>
      <Section
        title="Change it"
        note="A notice holds the reason, the status, the start of the response and a link to the run; never a payload, a header or the target’s address."
      >
        <ChannelForm
          channel={channel}
          answer={answer}
          isNamed={channel.id !== DEFAULT_REF}
          memberCount={memberCount}
        />
      </Section>
    </>
  );
}
