import { useNavigation } from 'react-router';
import {
  CHANNEL_KINDS,
  CHANNEL_NAME_CHARACTERS,
  type ChannelConfig,
  type ChannelField,
  isKindWithFields,
  type KindWithFields,
  nameOfKind,
} from '#domain/alerts/notification-channel';
import { ChoiceField, LinesField, NumberField, PlainField, TextField } from '../forms/Field.tsx';
import { Form } from '../forms/Form.tsx';
import { EnterSaves } from '../forms/FormActions.tsx';
import type { Values } from '../forms/values.ts';
import { Submit } from '../parts/Button.tsx';
import { Notice } from '../parts/Notice.tsx';
import type { ChannelView } from '../services.ts';
import { asSentence, inputName } from './alert-words.ts';
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
  );
}

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
