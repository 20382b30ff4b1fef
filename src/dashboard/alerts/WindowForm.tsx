import { useState } from 'react';
import { LIMITS } from '#domain/limits';
import { CheckField, TextField, useTypedField, useTypedText } from '../forms/Field.tsx';
import { Form, useErrors, useField } from '../forms/Form.tsx';
import formClasses from '../forms/Form.module.css';
import { FormActions } from '../forms/FormActions.tsx';
import type { Values } from '../forms/values.ts';
import { wrongId } from '../forms/wrong-fields.ts';
import { useMayNotify } from '../page/may-change.ts';
import { Section } from '../parts/Section.tsx';
import { useMoment } from '../parts/Time.tsx';
import type { NamedSource } from '../services.ts';
import { parseInstant } from '../words/instants.ts';
import { describeLocally, describeWindow } from './window-words.ts';
import classes from './Alerts.module.css';

type WindowFormProps = { values: Values; sources: readonly NamedSource[]; word: string };

export function WindowForm({ values, sources, word }: WindowFormProps) {
  return (
    <Form noValidate values={values}>
      <Section title="Name" note="Muted alerts show this name.">
        <TextField
          name="name"
          label="Name"
          required
          maxLength={LIMITS.nameCharacters}
          autoComplete="off"
          placeholder="Database upgrade"
        />
      </Section>
      <Section
        title="When"
        note="In UTC, like schedules, so that it does not move with daylight saving."
      >
        <Times />
      </Section>
      <Section title="Muted" note="Runs continue. Their alerts are recorded without notifications.">
        <SourcesField sources={sources} />
      </Section>
      <FormActions word={word} cancelTo="/maintenance" canTest={false} />
    </Form>
  );
}

/** UTC; the text below also shows the viewer's time zone. */
function Times() {
  const startsAt = useTypedField('starts_at');
  const endsAt = useTypedField('ends_at');
  const { value: stored } = useField('is_weekly');
  const [isWeekly, setWeekly] = useState(stored === '1');
  const [from, to] = [parseInstant(startsAt.text), parseInstant(endsAt.text)];
  const window =
    from !== null && to !== null && to > from ? { startsAt: from, endsAt: to, isWeekly } : null;
  return (
    <>
      <div className={classes.times}>
        <TextField {...startsAt.input} label="Starts (UTC)" type="datetime-local" required />
        <TextField {...endsAt.input} label="Ends (UTC)" type="datetime-local" required />
      </div>
      <CheckField
        name="is_weekly"
        label="Repeat every week"
        description="Repeats on the same days and times until you delete the window."
        onChange={(event) => setWeekly(event.currentTarget.checked)}
      />
      <div className={formClasses.schedule} aria-live="polite">
        {window === null ? (
          <p className="muted">Enter a start and a later end.</p>
        ) : (
          <Meaning window={window} />
        )}
      </div>
    </>
  );
}

function Meaning({ window }: { window: Parameters<typeof describeWindow>[0] }) {
  const { now, timeZone } = useMoment();
  return (
    <>
      <p className={`${formClasses.words} num`}>{describeWindow(window)}</p>
      {timeZone === null ? null : (
        <p className="muted num">
          {describeLocally(window, now, timeZone) ?? 'Your own clock shows UTC, too.'}
        </p>
      )}
    </>
  );
}

/** From here on there is a search field. */
const SEARCHED_FROM = 12;

/** The style sheet alone shows the list when it is chosen. */
function SourcesField({ sources }: { sources: readonly NamedSource[] }) {
  const wanted = useTypedText('');
  const mayMuteTeam = useMayNotify();
  const errors = useErrors();
  const error = [...(errors['covers'] ?? []), ...(errors['sources'] ?? [])].join(' ');
  const part = wanted.text.trim().toLowerCase();
  return (
    <fieldset className={classes.covers} aria-describedby={error ? wrongId('sources') : undefined}>
      <legend className="sr-only">Muted</legend>
      {mayMuteTeam ? (
        <Choice value="team" text="The whole team" />
      ) : (
        <p className="muted">Only an admin can mute the whole team.</p>
      )}
      <Choice value="chosen" text="Chosen crons and queues" />
      {error ? (
        <p id={wrongId('sources')} className={classes.error}>
          {error}
        </p>
      ) : null}
      <div className={classes.sources}>
        {sources.length === 0 ? <p className="muted">There are no crons or queues yet.</p> : null}
        {sources.length >= SEARCHED_FROM ? (
          <input
            className="control needs-script"
            type="search"
            aria-label="Find a cron or queue"
            placeholder="Find a cron or queue"
            {...wanted.input}
          />
        ) : null}
        <Group title="Crons" kind="cron" sources={sources} part={part} />
        <Group title="Queues" kind="queue" sources={sources} part={part} />
      </div>
    </fieldset>
  );
}

function Choice({ value, text }: { value: 'team' | 'chosen'; text: string }) {
  const { value: chosen } = useField('covers');
  return (
    <label>
      <input type="radio" name="covers" value={value} defaultChecked={chosen === value} />
      {text}
    </label>
  );
}

type GroupProps = {
  title: string;
  kind: NamedSource['kind'];
  sources: readonly NamedSource[];
  /** Hidden entries stay ticked. */
  part: string;
};

function Group({ title, kind, sources, part }: GroupProps) {
  const { list } = useField('sources[]');
  const group = sources.filter((source) => source.kind === kind);
  if (group.length === 0) return null;
  return (
    <div role="group" aria-label={title}>
      <h3>{title}</h3>
      {group.map(({ id, name }) => (
        <label key={id} hidden={!name.toLowerCase().includes(part)}>
          <input
            type="checkbox"
            name="sources[]"
            value={`${kind}:${id}`}
            defaultChecked={list.includes(`${kind}:${id}`)}
          />
          <span>{name}</span>
        </label>
      ))}
    </div>
  );
}
