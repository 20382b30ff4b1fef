import { Button } from '../parts/Button.tsx';
import { useNavigation } from 'react-router';
import { CHANNEL_KINDS, CHANNEL_NAME_CHARACTERS, isPostedKind } from '#domain/notification-channel';
import { EnterSaves } from '../forms/FormActions.tsx';
import { ChoiceField, TextField } from '../forms/Field.tsx';
import { Form } from '../forms/Form.tsx';
import { Notice } from '../parts/Notice.tsx';
import type { ChannelView, FieldErrors } from '../services.ts';
import classes from './Alerts.module.css';
import { asSentence, nameChannel } from './alert-words.ts';
import type { ChannelAnswer, TestResult } from './channel-form.ts';
import {
  fieldGroups,
  inputName,
  type ChannelFormValues,
  type FieldGroup,
} from './channel-form-values.ts';
import { describeMembers } from './PresentChannel.tsx';

const choices = [
  { value: 'email', text: 'Email to every member' },
  ...Object.entries(CHANNEL_KINDS).map(([value, { label }]) => ({ value, text: label })),
];

type ChannelFormProps = {
  /** The stored channel; null for a new one. */
  channel: ChannelView | null;
  answer: ChannelAnswer;
  /** False for the default, which has no name of its own. */
  isNamed: boolean;
  memberCount: number;
};

export function ChannelForm({ channel, answer, isNamed, memberCount }: ChannelFormProps) {
  const { state, formData } = useNavigation();
  const isTesting = state === 'submitting' && formData?.get('intent') === 'test';
  const { formValues, errors, test } = answer;
  return (
    <Form noValidate className={classes.channel}>
      <EnterSaves />
      {answer.problem ? (
        <Notice kind="failed" title="No test was sent.">
          {answer.problem}
        </Notice>
      ) : null}
      {test ? <TestNotice test={test} memberCount={memberCount} /> : null}
      {isNamed ? (
        <TextField
          name="name"
          label="Name"
          description="Crons and queues name the channel by it."
          required
          maxLength={CHANNEL_NAME_CHARACTERS}
          autoComplete="off"
          placeholder="On call"
          defaultValue={formValues.name}
          errors={errors}
        />
      ) : null}
      <ChoiceField
        name="kind"
        label="Channel"
        choices={choices}
        defaultValue={formValues.kind}
        errors={errors}
      />
      {fieldGroups.map((group) => (
        <KindFields key={group.name} {...{ group, channel, formValues, errors }} />
      ))}
      <TextField
        name="collect_minutes"
        label="Collect notices"
        description="For so many minutes after the first one, up to 60; then they come as one. Empty: each comes at once. PagerDuty hears of each at once."
        inputMode="numeric"
        autoComplete="off"
        defaultValue={formValues.collect_minutes}
        errors={errors}
      />
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

type KindFieldsProps = {
  group: FieldGroup;
  channel: ChannelView | null;
  formValues: ChannelFormValues;
  errors: FieldErrors | undefined;
};

/** The fields of a group of kinds. The style sheet shows them while one of these kinds is chosen. */
function KindFields({ group, channel, formValues, errors }: KindFieldsProps) {
  const isPresent = channel !== null && group.kinds.some((kind) => kind === channel.kind);
  return (
    <div className={classes.address} data-kinds={group.kinds.join(' ')}>
      {group.fields.map((field) => {
        const name = inputName(group, field);
        const kept = isPresent ? channel.shown.find((shown) => shown.name === field.name) : null;
        return (
          <TextField
            key={name}
            name={name}
            label={field.label}
            description={
              kept && field.isSecret
                ? `Empty keeps that of ${nameChannel(channel?.kind ?? 'email')}${field.isUrl ? '' : ', on the same server'}: ${kept.text}`
                : field.description
            }
            {...(field.isUrl ? { inputMode: 'url' as const } : {})}
            autoComplete="off"
            spellCheck={false}
            maxLength={field.maxLength}
            placeholder={field.placeholder}
            defaultValue={formValues.values[name] ?? ''}
            errors={errors}
          />
        );
      })}
      <WhereToFindIt group={group} />
    </div>
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
          : `Check that what is entered is whole and still right at ${name}.`}
      </Notice>
    );
  }
  return (
    <Notice kind="done" title="The test is sent.">
      {kind === 'email' ? `It went to ${describeMembers(memberCount)}.` : `${name} took it.`}{' '}
      Nothing is saved yet.
    </Notice>
  );
}

type TestNoticeProps = { test: TestResult; memberCount: number };

function WhereToFindIt({ group: { kinds } }: { group: FieldGroup }) {
  return (
    <details>
      <summary>Where to find it</summary>
      <dl className={classes.places}>
        {kinds.filter(isPostedKind).map((kind) => (
          <div key={kind}>
            <dt>{CHANNEL_KINDS[kind].label}</dt>
            <dd>{CHANNEL_KINDS[kind].isFoundIn}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
