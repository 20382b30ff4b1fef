import { Button } from '@mantine/core';
import { useNavigation } from 'react-router';
import { CHAT_CHANNELS } from '#domain/notification-channel';
import { EnterSaves } from '../forms/FormActions.tsx';
import { ChoiceField, TextField } from '../forms/Field.tsx';
import { Form } from '../forms/Form.tsx';
import { Notice } from '../parts/Notice.tsx';
import type { ChannelView, FieldErrors } from '../services.ts';
import classes from './Alerts.module.css';
import { asSentence, nameChannel } from './alert-words.ts';
import { describeMembers } from './PresentChannel.tsx';

export type ChannelTyped = { kind: string; url: string };

/** What came of a test by a channel. */
export type TestResult = {
  kind: ChannelView['kind'];
  outcome: { kind: 'sent' } | { kind: 'logged' } | { kind: 'failed'; error: string };
};

const choices = [
  { value: 'email', text: 'Email to every member' },
  ...Object.entries(CHAT_CHANNELS).map(([value, { label }]) => ({ value, text: label })),
];

type ChannelFormProps = {
  channel: ChannelView;
  typed: ChannelTyped;
  errors: FieldErrors | undefined;
  test: TestResult | undefined;
  memberCount: number;
};

export function ChannelForm({ channel, typed, errors, test, memberCount }: ChannelFormProps) {
  const { state, formData } = useNavigation();
  const isTesting = state === 'submitting' && formData?.get('intent') === 'test';
  return (
    <Form noValidate className={classes.channel}>
      <EnterSaves />
      {test ? <TestNotice test={test} memberCount={memberCount} /> : null}
      <ChoiceField
        name="kind"
        label="Channel"
        choices={choices}
        defaultValue={typed.kind}
        errors={errors}
      />
      <div className={classes.address}>
        <TextField
          name="url"
          label="Incoming webhook"
          description={
            channel.maskedUrl === null
              ? 'Its address, which the chat makes. Whoever knows it can post, so it is kept encrypted.'
              : `Empty keeps that of ${nameChannel(channel.kind)}: ${channel.maskedUrl}`
          }
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          maxLength={4000}
          placeholder="https://"
          defaultValue={typed.url}
          errors={errors}
        />
        <WhereToFindIt />
      </div>
      <div className="row">
        <Button type="submit" name="intent" value="save">
          Save
        </Button>
        <Button
          type="submit"
          name="intent"
          value="test"
          variant="default"
          aria-disabled={isTesting || undefined}
        >
          {isTesting ? 'Sending…' : 'Send test'}
        </Button>
      </div>
    </Form>
  );
}

function TestNotice({ test: { kind, outcome }, memberCount }: TestNoticeProps) {
  const name = nameChannel(kind);
  if (outcome.kind === 'logged') {
    return (
      <Notice kind="warning" title="The test is in the log of the service.">
        Nobody got a mail: no mail server is set up here. Nothing is saved yet.
      </Notice>
    );
  }
  if (outcome.kind === 'failed') {
    return (
      <Notice kind="failed" title="The test could not be sent.">
        {`${asSentence(outcome.error)} `}
        {kind === 'email'
          ? 'The log of the service says more.'
          : `Check that the address is the whole incoming webhook of ${name}, and that it still exists there.`}
      </Notice>
    );
  }
  return (
    <Notice kind="done" title="The test is sent.">
      {kind === 'email'
        ? `It went to ${describeMembers(memberCount)}.`
        : `${name} took it; it stands in the channel that the webhook was made for.`}{' '}
      Nothing is saved yet.
    </Notice>
  );
}

type TestNoticeProps = { test: TestResult; memberCount: number };

function WhereToFindIt() {
  return (
    <details>
      <summary>Where to find it</summary>
      <dl className={classes.places}>
        {Object.values(CHAT_CHANNELS).map(({ label, webhookIsIn }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{webhookIsIn}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
