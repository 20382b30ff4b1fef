import { useNavigation } from 'react-router';
import {
  CHANNEL_KINDS,
  CHANNEL_NAME_CHARACTERS,
  type ChannelConfig,
} from '#domain/notification-channel';
import { ChoiceField, LinesField, NumberField, PlainField, TextField } from '../forms/Field.tsx';
import { Form } from '../forms/Form.tsx';
import { EnterSaves } from '../forms/FormActions.tsx';
import type { Values } from '../forms/values.ts';
import { Submit } from '../parts/Button.tsx';
import { Notice } from '../parts/Notice.tsx';
import type { ChannelView } from '../services.ts';
import { asSentence, nameChannel, fieldGroups, inputName, type FieldGroup } from './alert-words.ts';
import { describeMembers } from './PresentChannel.tsx';
import classes from './Alerts.module.css';

const choices = [
  { value: 'email', text: 'Email to every member' },
  ...Object.entries(CHANNEL_KINDS).map(([value, { label }]) => ({
    value,
    text: value === 'email-addresses' ? 'Email to named addresses' : label,
  })),
];

export type ChannelTest = {
  kind: ChannelConfig['kind'];
  outcome: { kind: 'sent' } | { kind: 'logged' } | { kind: 'failed'; error: string };
};

type ChannelFormProps = {
  channel: ChannelView | null;
  values: Values;
  /** False for the default. */
  isNamed: boolean;
  memberCount: number;
  test: ChannelTest | undefined;
};

export function ChannelForm({ channel, values, isNamed, memberCount, test }: ChannelFormProps) {
  const { state, formData } = useNavigation();
  const isTesting = state === 'submitting' && formData?.get('intent') === 'test';
  return (
    <Form noValidate className={classes.channel} values={values} intent={['save', 'test']}>
      <EnterSaves />
      {test ? <TestNotice test={test} memberCount={memberCount} /> : null}
      {isNamed ? (
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
      {fieldGroups.map((group) => (
        <KindFields key={group.name} group={group} channel={channel} />
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
  );
}

/** The style sheet shows them while one of these kinds is chosen. */
function KindFields({ group, channel }: { group: FieldGroup; channel: ChannelView | null }) {
  const isPresent = channel !== null && group.kinds.some((kind) => kind === channel.kind);
  const places = group.kinds
    .map((kind) => CHANNEL_KINDS[kind])
    .filter(({ isFoundIn }) => isFoundIn !== null);
  const describe = ({ name, isSecret, isUrl, description }: FieldGroup['fields'][number]) => {
    const kept = isPresent && isSecret && channel.shown.find((shown) => shown.name === name);
    if (!kept) return description;
    const where = isUrl ? '' : ', on the same server';
    return `Leave empty to keep ${kept.text} (for ${nameChannel(channel.kind)}${where})`;
  };
  return (
    <div className={classes.address} data-kinds={group.kinds.join(' ')}>
      {group.fields.map((field) => {
        const words = {
          name: inputName(group, field),
          label: field.label,
          description: describe(field),
          placeholder: field.placeholder,
        };
        if (field.isList)
          return <LinesField key={field.name} {...words} rows={4} autoComplete="off" mono />;
        return (
          <PlainField
            key={field.name}
            {...words}
            {...(field.isUrl ? { inputMode: 'url' as const } : {})}
            maxLength={field.maxLength}
          />
        );
      })}
      {places.length === 0 ? null : (
        <details>
          <summary>Where to find it</summary>
          <dl className={classes.places}>
            {places.map(({ label, isFoundIn }) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd className="muted">{isFoundIn}</dd>
              </div>
            ))}
          </dl>
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
  return `${nameChannel(kind)} accepted it.`;
}

function hintAfterFailure(kind: ChannelConfig['kind']): string {
  if (kind === 'email') return 'The service log has the details.';
  if (kind === 'email-addresses')
    return 'A test goes only to addresses that are saved and confirmed.';
  return `Check that your entries are complete and still valid at ${nameChannel(kind)}.`;
}
