import { data, useNavigation } from 'react-router';
import { DEFAULT_REF } from '#domain/alerts/alert-settings';
import {
  CHANNEL_KINDS,
  CHANNEL_NAME_CHARACTERS,
  type ChannelConfig,
  type ChannelField,
  DEFAULT_CHANNEL,
  fieldsOfKind,
  isKindWithFields,
  type KindWithFields,
  nameOfKind,
} from '#domain/alerts/notification-channel';
import { CHANNEL, DEFAULT_CHANNEL_FIELDS } from '#work/resources/channel';
import { readWhole } from '#work/resources/resource';
import { readFormPairs } from '#work/form-fields';
import classes from '../alerts/Alerts.module.css';
import { describeMembers, PresentChannel } from '../alerts/PresentChannel.tsx';
import { asSentence, inputName, nameOfChannel, valuesOfChannel } from '../alerts/alert-words.ts';
import { ChoiceField, LinesField, NumberField, PlainField, TextField } from '../forms/Field.tsx';
import { Form, useFormAnswer } from '../forms/Form.tsx';
import { EnterSaves } from '../forms/FormActions.tsx';
import { readText } from '../forms/values.ts';
import { Submit } from '../parts/Button.tsx';
import { Notice } from '../parts/Notice.tsx';
import { Section } from '../parts/Section.tsx';
import type { ChannelOutcome, ChannelView, FieldErrors } from '../services.ts';
import { notFound, notHere, open } from '../serving/open.ts';
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
  const { state, formData } = useNavigation();
  const isTesting = state === 'submitting' && formData?.get('intent') === 'test';
  const isDefault = channel?.id === DEFAULT_REF;
  return (
    <>
      {channel ? (
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
      ) : null}
      <Section
        title={channel ? 'Change the channel' : 'Add a channel'}
        note={
          channel
            ? 'A notification contains the reason, the status, the start of the response and a link to the run; never a payload, a header or the target’s address.'
            : 'Alerts are sent to it once you select it in the form of a cron or queue.'
        }
      >
        <Form noValidate className={classes.channel} values={values} intent={['save', 'test']}>
          <EnterSaves />
          {test ? <TestNotice test={test} memberCount={memberCount} /> : null}
          {!isDefault ? (
            <TextField
              name="name"
              description="Crons and queues refer to the channel by this name."
              required
              maxLength={CHANNEL_NAME_CHARACTERS}
              autoComplete="off"
              placeholder="On call"
            />
          ) : null}
          <ChoiceField name="kind" label="Channel" choices={choices} />
          {Object.keys(CHANNEL_KINDS)
            .filter(isKindWithFields)
            .map((kind) => (
              <KindFields key={kind} kind={kind} channel={channel} />
            ))}
          <NumberField
            name="collect_minutes"
            label="Collect notifications"
            description="Minutes to wait after the first notification, up to 60. Then all are sent as one. Empty: each is sent at once. PagerDuty always gets each at once."
            isShort={false}
          />
          <div className="row">
            <Submit intent="save" variant="filled">
              Save
            </Submit>
            <Submit intent="test" aria-disabled={isTesting || undefined}>
              {isTesting ? 'Sending…' : 'Send test'}
            </Submit>
          </div>
        </Form>
      </Section>
    </>
  );
}

const choices = [
  { value: 'email', text: 'Email to every member' },
  ...Object.entries(CHANNEL_KINDS).map(([value, { label }]) => ({
    value,
    text: value === 'email-addresses' ? 'Email to named addresses' : label,
  })),
];

type ChannelTest = {
  kind: ChannelConfig['kind'];
  outcome: { kind: 'sent' } | { kind: 'logged' } | { kind: 'failed'; error: string };
};

type KindFieldsProps = { kind: KindWithFields; channel: ChannelView | null };

/** The style sheet shows them while the kind is chosen. */
function KindFields({ kind, channel }: KindFieldsProps) {
  const { fields, label, isFoundIn } = CHANNEL_KINDS[kind];
  const present = channel?.kind === kind ? channel.shown : [];
  const describe = ({ name, isSecret, isUrl, description }: ChannelField) => {
    const kept = isSecret && present.find((shown) => shown.name === name);
    if (!kept) return description;
    const where = isUrl ? '' : ', on the same server';
    return `Leave empty to keep ${kept.text} (for ${label}${where})`;
  };
  return (
    <div className={classes.address} data-kind={kind}>
      {fields.map((field: ChannelField) => {
        const words = {
          name: inputName(kind, field),
          label: field.label,
          description: describe(field),
          placeholder: field.placeholder,
        };
        if (field.isList)
          return <LinesField key={field.name} {...words} rows={4} autoComplete="off" />;
        return (
          <PlainField
            key={field.name}
            {...words}
            {...(field.isUrl ? { inputMode: 'url' as const } : {})}
            maxLength={field.maxLength}
          />
        );
      })}
      {isFoundIn === null ? null : (
        <details>
          <summary>Where to find it</summary>
          <p className="muted">{isFoundIn}</p>
        </details>
      )}
    </div>
  );
}

type TestNoticeProps = { test: ChannelTest; memberCount: number };

function TestNotice({ test: { kind, outcome }, memberCount }: TestNoticeProps) {
  if (outcome.kind === 'logged') {
    return (
      <Notice kind="warning" title="The test is in the log of the service.">
        No email was sent: no mail server is set up here. Nothing is saved yet.
      </Notice>
    );
  }
  if (outcome.kind === 'failed') {
    return (
      <Notice kind="failed" title="The test could not be sent.">
        {`${asSentence(outcome.error)} `}
        {hintAfterFailure(kind)}
      </Notice>
    );
  }
  return (
    <Notice kind="done" title="The test is sent.">
      {describeRecipient(kind, memberCount)} Nothing is saved yet.
    </Notice>
  );
}

function describeRecipient(kind: ChannelConfig['kind'], memberCount: number): string {
  if (kind === 'email') return `It went to ${describeMembers(memberCount)}.`;
  if (kind === 'email-addresses') return 'It went to the confirmed addresses.';
  return `${nameOfKind(kind)} accepted it.`;
}

function hintAfterFailure(kind: ChannelConfig['kind']): string {
  if (kind === 'email') return 'The service log has the details.';
  if (kind === 'email-addresses')
    return 'A test goes only to addresses that are saved and confirmed.';
  return `Check that your entries are complete and still valid at ${nameOfKind(kind)}.`;
}
