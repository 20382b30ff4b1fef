import { LIMITS } from '#domain/limits';
import type { ReactNode } from 'react';
import { CheckField, ChoiceField, TextField } from '../forms/Field.tsx';
import { Form } from '../forms/Form.tsx';
import { Section } from '../parts/Section.tsx';
import { AlertFields } from '../alerts/AlertFields.tsx';
import type { ChannelChoice, FieldErrors } from '../services.ts';
import { AssertionsEditor } from './AssertionsEditor.tsx';
import { EnterSaves, FormActions } from '../forms/FormActions.tsx';
import classes from '../forms/Form.module.css';
import { TimeoutField } from '../forms/NumberField.tsx';
import { useReach } from './reach.ts';
import { ContentFields, TargetFields } from './RequestFields.tsx';
import { ScheduleField } from './ScheduleField.tsx';
import { TagsField } from './TagsField.tsx';
import type { CronFormValues } from './form-values.ts';

const thresholds = [
  { value: '', text: 'No alerts' },
  { value: '1', text: 'After 1 failed run' },
  { value: '2', text: 'After 2 failed runs in a row' },
  { value: '3', text: 'After 3 failed runs in a row' },
];

type CronFormProps = {
  /** Where the URL comes from, if a link gave it. */
  urlNote?: string | undefined;
  formValues: CronFormValues;
  errors?: FieldErrors | undefined;
  /** The label of the button that saves. */
  word: string;
  cancelTo: string;
  /** The channels that can be chosen for its alerts. */
  choices: readonly ChannelChoice[];
  /** The cron whose stored headers replace masked ones, when a cron is made from another. */
  from?: string | null;
  /** Scheduled runs that count toward its end. */
  runsCounted?: number;
  /** A part above the fields that fills the form. */
  paste?: ReactNode;
  /** The outcome of a test run, shown above the buttons. */
  outcome?: ReactNode;
};

/** Every setting of a cron (§2.1, §2.4), the same for a new one and a present one. */
export function CronForm(props: CronFormProps) {
  const { formValues, errors, word, cancelTo, choices, from, paste, outcome } = props;
  const reach = useReach();
  return (
    <Form noValidate>
      <EnterSaves />
      {from ? <input type="hidden" name="from" value={from} /> : null}
      {paste}
      <Section title="Target" note={`What is called. ${reach}`}>
        <div className={classes.fields}>
          <TextField
            name="name"
            label="Name"
            required
            maxLength={LIMITS.nameCharacters}
            autoComplete="off"
            placeholder="Close the month"
            defaultValue={formValues.name}
            errors={errors}
          />
          <TargetFields formValues={formValues} errors={errors} urlNote={props.urlNote} />
          <TagsField defaultValue={formValues.tags} errors={errors} />
        </div>
      </Section>
      <Schedule formValues={formValues} errors={errors} runsCounted={props.runsCounted ?? 0} />
      <Section title="Request" note="The same with every run.">
        <div className={classes.fields}>
          <ContentFields
            formValues={formValues}
            errors={errors}
            payloadNote="JSON is sent as that JSON; any other text as {“body”: text}. With GET it becomes the query."
          />
        </div>
      </Section>
      <Section
        title="Judging"
        note="A run succeeds with a 2xx response that holds every assertion. Crons are never retried."
      >
        <div className={classes.fields}>
          <TimeoutField formValues={formValues} errors={errors} />
          <AssertionsEditor rows={formValues.assertions} errors={errors} />
        </div>
      </Section>
      <Alerts formValues={formValues} errors={errors} choices={choices} />
      {outcome}
      <FormActions word={word} cancelTo={cancelTo} errors={errors} />
    </Form>
  );
}

type Part = { formValues: CronFormValues; errors: FieldErrors | undefined };

function Schedule({ formValues, errors, runsCounted }: Part & { runsCounted: number }) {
  return (
    <Section title="Schedule" note="Crons run in UTC, at most once a minute.">
      <div className={classes.fields}>
        <ScheduleField formValues={formValues} runsCounted={runsCounted} errors={errors} />
        <CheckField
          name="is_active"
          label="Active"
          description="Without it the cron is paused: it does not run until it is started."
          defaultChecked={formValues.is_active}
          errors={errors}
        />
      </div>
    </Section>
  );
}

function Alerts({ formValues, errors, choices }: Part & Pick<CronFormProps, 'choices'>) {
  return (
    <Section title="Alerts" note="When somebody is told of runs that fail or are slow, and where.">
      <AlertFields
        formValues={formValues.alerts}
        errors={errors}
        choices={choices}
        channelNote="By level. Nothing ticked: the alert stands on the Alerts page alone."
        reminderNote="While the cron goes on failing, the failure is told again."
      >
        <div className={classes.short}>
          <ChoiceField
            name="alert_threshold"
            label="Alert threshold"
            choices={thresholds}
            defaultValue={formValues.alert_threshold}
            errors={errors}
          />
        </div>
      </AlertFields>
    </Section>
  );
}
