import { data } from 'react-router';
import { DEFAULT_REF } from '#domain/alerts/alert-settings';
import {
  type ChannelConfig,
  DEFAULT_CHANNEL,
  nameOfKind,
  fieldsOfKind,
  isKindWithFields,
} from '#domain/alerts/notification-channel';
import { CHANNEL, DEFAULT_CHANNEL_FIELDS } from '#work/resources/channel';
import { readWhole } from '#work/resources/resource';
import { readFormPairs } from '#work/form-fields';
import { inputName, nameOfChannel, valuesOfChannel } from '../alerts/alert-words.ts';
import { ChannelForm, type ChannelTest } from '../alerts/ChannelForm.tsx';
import { PresentChannel } from '../alerts/PresentChannel.tsx';
import { useFormAnswer } from '../forms/Form.tsx';
import { readText } from '../forms/values.ts';
import { Section } from '../parts/Section.tsx';
import { notFound, notHere, open } from '../serving/open.ts';
import type { ChannelOutcome, FieldErrors } from '../services.ts';
import type { Route } from './+types/settings.notifications.form.ts';

/** `/settings/notifications/new`, or a present channel. */
export async function loader({ params: { id }, context }: Route.LoaderArgs) {
  const { actor, accounts, teams, work } = open(context, 'notifications');
  const { memberCount } = await teams.describeTeam(actor);
  const shared = { memberCount, sendsMail: accounts.sendsMail() };
  if (id === undefined) return { ...shared, channel: null, values: { kind: 'slack' } };
  const find = (teamId: string) => work.findChannel(teamId, id);
  const channel = (await find(actor.teamId)) ?? (await notHere(context, find));
  const config = await work.findChannelConfig(actor.teamId, id);
  const values = {
    name: channel.name ?? '',
    collect_minutes: String(channel.collectMinutes ?? ''),
    ...valuesOfChannel(config ?? { kind: 'email' }),
  };
  return { ...shared, channel, values };
}

export async function action({ params: { id }, context }: Route.ActionArgs) {
  const opened = open(context, 'notifications');
  const { actor, work, notifier, form, intent, show, refuse, reject, say } = opened;
  if (id !== undefined && intent === 'resend') return resendLink(opened, id);
  if (id !== undefined && intent === 'remove') return removeAddress(opened, id);
  if (intent !== 'save' && intent !== 'test') throw data(null, { status: 400 });
  const current =
    id === undefined
      ? DEFAULT_CHANNEL
      : ((await work.findChannelConfig(actor.teamId, id)) ?? notFound());
  // A test and the default need no name.
  const reading = readChannel(form, current, id !== DEFAULT_REF && intent === 'save');
  if (!reading.ok) return refuse(reading.errors);
  const settings = reading.input;
  const { config, collectMinutes, name } = settings;
  if (intent === 'test') {
    const outcome = await notifier.sendTest(actor, config, id ?? null);
    if (outcome.kind === 'too-many') return reject(outcome, { title: 'No test was sent.' });
    return show({ test: { kind: config.kind, outcome } });
  }
  if (id === DEFAULT_REF) {
    const outcome = await work.setChannel(actor.teamId, config, collectMinutes);
    if (outcome.kind !== 'saved') return refuse(describeRefusal(outcome));
    return say('/settings/notifications', `Alerts go to ${describeTarget(config)} from now on.`);
  }
  const outcome = await (id === undefined
    ? work.addChannel(actor.teamId, settings)
    : work.editChannel(actor.teamId, id, settings));
  if (outcome.kind !== 'saved') return refuse(describeRefusal(outcome));
  const done =
    id === undefined
      ? 'is added. You can select it in the forms of crons and queues.'
      : 'is saved.';
  return say('/settings/notifications', `The channel “${name}” ${done}`);
}

function describeTarget({ kind }: ChannelConfig): string {
  if (kind === 'email') return 'every member by email';
  return kind === 'email-addresses' ? 'the confirmed addresses' : nameOfKind(kind);
}

type Opened = ReturnType<typeof open>;

async function resendLink({ actor, people, field, reject, fail, say }: Opened, id: string) {
  const addressId = field('address');
  const outcome = await people.channelAddresses.resendConfirmation(actor, addressId);
  switch (outcome.kind) {
    case 'too-many':
      return reject(outcome);
    case 'failed':
      return fail(`The link was not mailed: ${outcome.error}.`);
    case 'not-found':
      return fail('The address is not waiting for its confirmation any more.');
    case 'logged':
      return say(`/settings/notifications/${id}`, 'The link is in the log of the service.');
    case 'sent':
      return say(
        `/settings/notifications/${id}`,
        'A new link is mailed. Older ones no longer work.',
      );
  }
}

async function removeAddress({ actor, work, field, fail, say }: Opened, id: string) {
  const channel = (await work.findChannel(actor.teamId, id)) ?? notFound();
  const wanted = field('address');
  const address = channel.addresses.find((each) => each.id === wanted);
  if (!address) return fail('The address was removed meanwhile.');
  const addresses = channel.addresses.flatMap(({ email }) =>
    email === address.email ? [] : email,
  );
  if (addresses.length === 0) return fail('A channel needs at least one address.');
  const config = { kind: 'email-addresses', addresses } as const;
  const { name, collectMinutes } = channel;
  const outcome = await (name === null
    ? work.setChannel(actor.teamId, config, collectMinutes)
    : work.editChannel(actor.teamId, id, { name, config, collectMinutes }));
  if (outcome.kind !== 'saved')
    return fail(Object.values(describeRefusal(outcome)).flat().join(' '));
  return say(`/settings/notifications/${id}`, `${address.email} is removed.`);
}

/** Inputs are named after their kind. */
function readChannel(form: FormData, current: ChannelConfig, isNamed: boolean) {
  const kind = readText(form, 'kind');
  const own = isKindWithFields(kind)
    ? fieldsOfKind(kind).map(({ name }) => ({ name, input: inputName(kind, { name }) }))
    : [];
  const shared = ['name', 'kind', 'collect_minutes'].map((name) => ({ name, input: name }));
  const fields = readFormPairs(
    [...shared, ...own].map(({ name, input }) => [name, readText(form, input).trim()] as const),
  );
  const stored = { config: current };
  const reading = isNamed
    ? readWhole(CHANNEL, fields, { stored })
    : readWhole(DEFAULT_CHANNEL_FIELDS, fields, { stored });
  if (reading.ok)
    return { ok: true as const, input: { name: readText(form, 'name'), ...reading.input } };
  const inputOf = (field: string) => own.find(({ name }) => name === field)?.input ?? field;
  const errors = reading.errors.map(([field, messages]) => [inputOf(field), messages] as const);
  return { ok: false as const, errors: Object.fromEntries(errors) };
}

function describeRefusal(outcome: Exclude<ChannelOutcome, { kind: 'saved' }>): FieldErrors {
  switch (outcome.kind) {
    case 'same':
      return {
        kind: [
          `“${outcome.as}” sends to the same place, so alerts would arrive twice. Use that channel, or enter another destination.`,
        ],
      };
    case 'too-many':
      return { name: ['The team has the maximum number of channels. Delete one first.'] };
    case 'name-taken':
      return { name: ['There is a channel of that name already.'] };
    case 'not-found':
      return { name: ['The channel was deleted meanwhile.'] };
  }
}

export default function ChannelFormPage({ loaderData }: Route.ComponentProps) {
  const { channel, values, memberCount, sendsMail } = loaderData;
  const { test } = useFormAnswer<{ test: ChannelTest }>();
  const isDefault = channel?.id === DEFAULT_REF;
  // A removed address leaves the field, too.
  const key = channel?.addresses.map(({ id }) => id).join();
  const form = (
    <ChannelForm key={key} {...{ channel, values, memberCount, test }} isNamed={!isDefault} />
  );
  if (channel === null) {
    return (
      <Section
        title="Add a channel"
        note="Alerts are sent to it once you select it in the form of a cron or queue."
      >
        {form}
      </Section>
    );
  }
  return (
    <>
      <Section
        title={nameOfChannel(channel)}
        note={
          isDefault
            ? 'Alerts go here, unless a cron or a queue has other channels.'
            : 'Used by the crons and queues that select it in their forms.'
        }
      >
        <PresentChannel channel={channel} memberCount={memberCount} sendsMail={sendsMail} />
      </Section>
      <Section
        title="Change the channel"
        note="A notification contains the reason, the status, the start of the response and a link to the run; never a payload, a header or the target’s address."
      >
        {form}
      </Section>
    </>
  );
}
