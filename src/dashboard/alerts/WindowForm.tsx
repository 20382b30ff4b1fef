import { LIMITS } from '#domain/limits';
import { Button, ButtonLink } from '../parts/Button.tsx';
import { useState } from 'react';
import { CheckField, TextField } from '../forms/Field.tsx';
import { ErrorSummary } from '../forms/ErrorSummary.tsx';
import { Form } from '../forms/Form.tsx';
import { Section } from '../parts/Section.tsx';
import { useMoment } from '../parts/Time.tsx';
import type { FieldErrors, NamedSource } from '../services.ts';
import formClasses from '../forms/Form.module.css';
import { SourcesField } from './SourcesField.tsx';
import { parseInstant, type WindowFormValues } from './window-form-values.ts';
import { describeLocally, describeWindow } from './window-words.ts';
import classes from './Alerts.module.css';

type WindowFormProps = {
  formValues: WindowFormValues;
  errors?: FieldErrors | undefined;
  sources: readonly NamedSource[];
  word: string;
};

export function WindowForm({ formValues, errors, sources, word }: WindowFormProps) {
  return (
    <Form noValidate>
      <Section title="Name" note="Alerts that it mutes say so by its name.">
        <div className={formClasses.fields}>
          <TextField
            name="name"
            label="Name"
            required
            maxLength={LIMITS.nameCharacters}
            autoComplete="off"
            placeholder="Database upgrade"
            defaultValue={formValues.name}
            errors={errors}
          />
        </div>
      </Section>
      <Section
        title="When"
        note="In UTC, like schedules, so that it does not move with daylight saving."
      >
        <Times formValues={formValues} errors={errors} />
      </Section>
      <Section title="What it mutes" note="Runs go on. Only nobody is told of their alerts.">
        <SourcesField formValues={formValues} errors={errors} sources={sources} />
      </Section>
      <div className={formClasses.actions}>
        <ErrorSummary errors={errors} />
        <Button type="submit">{word}</Button>
        <ButtonLink to="/maintenance" variant="quiet">
          Cancel
        </ButtonLink>
      </div>
    </Form>
  );
}

/** Start and end in UTC. The text below explains them as they are typed, also in the viewer's time zone. */
function Times({
  formValues,
  errors,
}: {
  formValues: WindowFormValues;
  errors: FieldErrors | undefined;
}) {
  const [times, setTimes] = useState(formValues);
  const change = (changed: Partial<WindowFormValues>) => setTimes({ ...times, ...changed });
  return (
    <div className={formClasses.fields}>
      <div className={classes.times}>
        <TextField
          type="datetime-local"
          name="starts_at"
          label="Starts (UTC)"
          required
          defaultValue={formValues.starts_at}
          onChange={(event) => change({ starts_at: event.currentTarget.value })}
          errors={errors}
        />
        <TextField
          type="datetime-local"
          name="ends_at"
          label="Ends (UTC)"
          required
          defaultValue={formValues.ends_at}
          onChange={(event) => change({ ends_at: event.currentTarget.value })}
          errors={errors}
        />
      </div>
      <CheckField
        name="is_weekly"
        label="Repeat every week"
        description="On the same days and times, from the first one on, until it is deleted."
        defaultChecked={formValues.is_weekly}
        onChange={(event) => change({ is_weekly: event.currentTarget.checked })}
        errors={errors}
      />
      <Meaning times={times} />
    </div>
  );
}

function Meaning({ times }: { times: WindowFormValues }) {
  const { now, timeZone } = useMoment();
  const startsAt = parseInstant(times.starts_at);
  const endsAt = parseInstant(times.ends_at);
  const isSpan = startsAt !== null && endsAt !== null && endsAt > startsAt;
  const window = isSpan ? { startsAt, endsAt, isWeekly: times.is_weekly } : null;
  return (
    <div className={formClasses.schedule} aria-live="polite">
      {window === null ? (
        <p className="muted">It needs a start and, after it, an end.</p>
      ) : (
        <>
          <p className={`${formClasses.words} num`}>{describeWindow(window)}</p>
          {timeZone === null ? null : (
            <p className="muted num">
              {describeLocally(window, now, timeZone) ?? 'Your own clock shows UTC, too.'}
            </p>
          )}
        </>
      )}
    </div>
  );
}
