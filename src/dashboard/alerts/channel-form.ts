/** Reads a channel's form by the rules of `work`, then tests or saves the channel. */
import { open } from '../serving/open.ts';
import { data } from 'react-router';
import type { ChannelConfig } from '#domain/notification-channel';
import { readDefaultChannelInput, readNamedChannelInput } from '#work/resources/channel';
import type { Reading } from '#work/fields';
import { readFormPairs } from '#work/form-fields';
import { type Context } from '../context.ts';
import { errorsOf } from '../work-forms/read-fields.ts';
import { readText } from '../forms/read-form.ts';
import type { ChannelOutcome, ChannelSettings, FieldErrors, Work } from '../services.ts';
import type { ChannelFormValues } from './channel-form-values.ts';
import { fieldGroups, groupOf, inputName } from './channel-form-values.ts';

/** The outcome of a test message through a channel. */
export type TestResult = {
  kind: ChannelConfig['kind'];
  outcome: { kind: 'sent' } | { kind: 'logged' } | { kind: 'failed'; error: string };
};

export type ChannelAnswer = {
  formValues: ChannelFormValues;
  errors?: FieldErrors;
  test?: TestResult;
  /** Why no test was sent. */
  problem?: string;
};

type Editing = {
  /** The stored channel; email for a new one. */
  current: ChannelConfig;
  /** False for the default, which has no name of its own. */
  isNamed: boolean;
  save: (work: Work, teamId: string, settings: ChannelSettings) => Promise<ChannelOutcome>;
  done: (settings: ChannelSettings) => string;
};

/** Tests what was typed, or saves it. */
export async function answerChannelForm(context: Context, editing: Editing) {
  const { actor, work, notifier, form, intent, say, tooMany } = open(context, 'notifications');
  if (intent !== 'save' && intent !== 'test') throw data(null, { status: 400 });
  const formValues = readFormValues(form);
  const refuse = (errors: FieldErrors) =>
    data<ChannelAnswer>({ formValues, errors }, { status: 422 });
  // A test does not need the channel's name.
  const reading = readSettings(formValues, editing, intent === 'test');
  if (!reading.ok) return refuse(nameInputs(errorsOf(reading.errors), formValues));
  const settings = reading.input;
  const { kind } = settings.config;
  if (intent === 'test') {
    const outcome = await notifier.sendTest(actor, settings.config);
    if (outcome.kind === 'too-many') return tooMany<ChannelAnswer>(outcome, { formValues });
    return data<ChannelAnswer>({ formValues, test: { kind, outcome } });
  }
  const outcome = await editing.save(work, actor.teamId, settings);
  if (outcome.kind !== 'saved') return refuse(describeRefusal(outcome));
  return say('/settings/notifications', editing.done(settings));
}

function readFormValues(form: FormData): ChannelFormValues {
  const names = fieldGroups.flatMap((group) =>
    group.fields.map((field) => inputName(group, field)),
  );
  const values = names.map((name) => [name, readText(form, name).trim()]);
  return {
    name: readText(form, 'name'),
    kind: readText(form, 'kind'),
    collect_minutes: readText(form, 'collect_minutes').trim(),
    values: Object.fromEntries(values) as Record<string, string>,
  };
}

function readSettings(
  { name, kind, collect_minutes, values }: ChannelFormValues,
  { current, isNamed }: Pick<Editing, 'current' | 'isNamed'>,
  isTest: boolean,
): Reading<ChannelSettings> {
  const group = groupOf(kind);
  const given = group?.fields.map((field) => {
    return [field.name, values[inputName(group, field)] ?? ''] as const;
  });
  const own = Object.entries({ name, kind, collect_minutes });
  const fields = readFormPairs([...own, ...(given ?? [])]);
  if (isNamed && !isTest) return readNamedChannelInput(fields, current);
  const reading = readDefaultChannelInput(fields, current);
  return reading.ok ? { ok: true, input: { name, ...reading.input } } : reading;
}

/** Names the errors after the inputs of the chosen kind. */
function nameInputs(errors: FieldErrors, { kind }: ChannelFormValues): FieldErrors {
  const group = groupOf(kind);
  const named = Object.entries(errors).map(([field, messages]) => {
    const own = group?.fields.find(({ name }) => name === field);
    return [group && own ? inputName(group, own) : field, messages];
  });
  return Object.fromEntries(named) as FieldErrors;
}

function describeRefusal(outcome: Exclude<ChannelOutcome, { kind: 'saved' }>): FieldErrors {
  switch (outcome.kind) {
    case 'same':
      return {
        kind: [`“${outcome.as}” leads to the same place, which would be told everything twice.`],
      };
    case 'too-many':
      return { name: ['The team has as many channels as it may have. Delete one first.'] };
    case 'name-taken':
      return { name: ['There is a channel of that name already.'] };
    case 'not-found':
      return { name: ['The channel was deleted meanwhile.'] };
  }
}
