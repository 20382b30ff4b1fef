import { data } from 'react-router';
import { readFormPairs } from '#work/form-fields';
import { readChannelInput } from '#work/channel-input';
import { ChannelForm, type ChannelTyped, type TestResult } from '../alerts/ChannelForm.tsx';
import { nameChannel } from '../alerts/alert-words.ts';
import { PresentChannel } from '../alerts/PresentChannel.tsx';
import { requestFacts, requirePermission, sentForm, services } from '../context.ts';
import { redirectWithToast } from '../serving/cookies.ts';
import { errorsOf } from '../work-forms/read-fields.ts';
import { readText } from '../forms/read-form.ts';
import { Section } from '../parts/Section.tsx';
import type { FieldErrors } from '../services.ts';
import type { Route } from './+types/settings.notifications.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { actor } = requirePermission(context, 'notifications');
  const { people, work } = context.get(services);
  const [channel, { memberCount }] = await Promise.all([
    work.readChannel(actor.teamId),
    people.teams.describeTeam(actor),
  ]);
  return { channel, memberCount, sendsMail: people.accounts.sendsMail() };
}

type Answer = { typed: ChannelTyped; errors?: FieldErrors; test?: TestResult };

export async function action({ context }: Route.ActionArgs) {
  const { actor } = requirePermission(context, 'notifications');
  const { work, notifier } = context.get(services);
  const form = context.get(sentForm);
  const intent = readText(form, 'intent');
  if (intent !== 'save' && intent !== 'test') throw data(null, { status: 400 });
  const typed = { kind: readText(form, 'kind'), url: readText(form, 'url').trim() };
  const current = await work.readChannelConfig(actor.teamId);
  const reading = readChannelInput(readFormPairs(Object.entries(typed)), current);
  if (!reading.ok)
    return data<Answer>({ typed, errors: errorsOf(reading.errors) }, { status: 422 });
  const { input } = reading;
  if (intent === 'test') {
    const outcome = await notifier.sendTest(actor.teamId, input);
    return data<Answer>({ typed, test: { kind: input.kind, outcome } });
  }
  await work.setChannel(actor.teamId, input);
  const to = input.kind === 'email' ? 'every member by email' : nameChannel(input.kind);
  return redirectWithToast(
    '/settings/notifications',
    { kind: 'done', text: `Alerts go to ${to} from now on.` },
    context.get(requestFacts).baseUrl,
  );
}

export default function Notifications({ loaderData, actionData }: Route.ComponentProps) {
  const { channel, memberCount, sendsMail } = loaderData;
  const answer: Answer | undefined = actionData;
  return (
    <>
      <Section
        title="Notification channel"
        note="Where the team hears of alerts. They stand on the Alerts tab as well."
      >
        <PresentChannel channel={channel} memberCount={memberCount} sendsMail={sendsMail} />
      </Section>
      <Section
        title="Choose a channel"
        note="A notice holds the reason, the status, the start of the response and a link to the run; never a payload, a header or the target’s address."
      >
        <ChannelForm
          // A saved address leaves the form.
          key={`${channel.kind} ${channel.maskedUrl}`}
          channel={channel}
          typed={answer?.typed ?? { kind: channel.kind, url: '' }}
          errors={answer?.errors}
          test={answer?.test}
          memberCount={memberCount}
        />
      </Section>
      <Section
        title="Queues"
        note="What goes to members whatever the channel is, and what stays here."
      >
        <p>
          Alerts of queues with “Enable email alerts for job failures” are mailed to every member,
          too. Usage of the monthly limit is told in the app only.
        </p>
      </Section>
    </>
  );
}
