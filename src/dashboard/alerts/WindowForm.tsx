import { useRef, useState } from 'react';
import { parseUtc } from '#domain/base/instant';
import { LIMITS } from '#domain/base/limits';
import { CheckField, InstantField, TextField } from '../forms/Field.tsx';
import { Form, useField, useShown, useTypedValues } from '../forms/Form.tsx';
import formClasses from '../forms/Form.module.css';
import { FormActions } from '../forms/FormActions.tsx';
import { textIn, type Values } from '../forms/values.ts';
import { wrongId } from '../forms/wrong-fields.ts';
import { useMayNotify } from '../page/may-change.ts';
import { Section } from '../parts/Section.tsx';
import { useMoment } from '../parts/Time.tsx';
import type { NamedSource } from '../services.ts';
import { describeLocally, describeWindow } from './window-words.ts';
import classes from './Alerts.module.css';

type WindowFormProps = { values: Values; sources: readonly NamedSource[]; word: string };

export function WindowForm({ values, sources, word }: WindowFormProps) {
  return (
    <Form noValidate values={values}>
      <Section title="Name" note="Muted alerts show this name.">
        <TextField
          name="name"
          required
          maxLength={LIMITS.nameCharacters}
          autoComplete="off"
          placeholder="Database upgrade"
        />
      </Section>
      <Section
        title="When"
        note="In UTC, like schedules, so that it does not move with daylight saving."
        preview={<WindowPreview />}
      >
        <div className={classes.times}>
          <InstantField name="starts_at" label="Starts (UTC)" required />
          <InstantField name="ends_at" label="Ends (UTC)" required />
        </div>
        <CheckField
          name="is_weekly"
          description="Repeats on the same days and times until you delete the window."
        />
      </Section>
      <Section title="Muted" note="Their alerts are recorded without notifications.">
        <SourcesField sources={sources} />
        <CheckField
          name="pauses_runs"
          description="Queues send no job until the end. Crons skip their times in the window. If unticked, runs continue."
        />
      </Section>
      <FormActions word={word} cancelTo="/maintenance" canTest={false} />
    </Form>
  );
}

/** UTC, and the viewer's time zone. */
function WindowPreview() {
  const ref = useRef<HTMLDivElement>(null);
  const values = useTypedValues(ref);
  const [startsAt, endsAt] = ['starts_at', 'ends_at'].map((name) =>
    parseUtc(textIn(values, name) ?? ''),
  );
  const { now, timeZone } = useMoment();
  const isWeekly = textIn(values, 'is_weekly') === '1';
  const window = startsAt && endsAt && endsAt > startsAt ? { startsAt, endsAt, isWeekly } : null;
  return (
    <div ref={ref} className="box" aria-live="polite">
      {window ? (
        <>
          <p className={`${formClasses.words} num`}>{describeWindow(window)}</p>
          {timeZone === null ? null : (
            <p className="muted num">
              {describeLocally(window, now, timeZone) ?? 'Your own clock shows UTC, too.'}
            </p>
          )}
        </>
      ) : (
        <p className="muted">Enter a start and a later end.</p>
      )}
    </div>
  );
}

const reaches = [
  ['team', 'The whole team'],
  ['chosen', 'Chosen crons and queues'],
] as const;
const groups = [
  ['cron', 'Crons'],
  ['queue', 'Queues'],
] as const;
/** From here on there is a search field. */
const SEARCHED_FROM = 12;

/** The style sheet alone shows the list when it is chosen. */
function SourcesField({ sources }: { sources: readonly NamedSource[] }) {
  const [wanted, setWanted] = useState('');
  const mayMuteTeam = useMayNotify();
  const { errors } = useShown();
  const { value: covers } = useField('covers');
  const { list } = useField('sources[]');
  const error = [...(errors['covers'] ?? []), ...(errors['sources'] ?? [])].join(' ');
  const part = wanted.trim().toLowerCase();
  return (
    <fieldset className={classes.covers} aria-describedby={error ? wrongId('sources') : undefined}>
      <legend className="sr-only">Muted</legend>
      {mayMuteTeam ? null : <p className="muted">Only an admin can mute the whole team.</p>}
      {reaches.slice(mayMuteTeam ? 0 : 1).map(([value, text]) => (
        <label key={value}>
          <input type="radio" name="covers" value={value} defaultChecked={covers === value} />
          {text}
        </label>
      ))}
      {error ? (
        <p id={wrongId('sources')} className="wrong">
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
            onChange={({ currentTarget }) => setWanted(currentTarget.value)}
          />
        ) : null}
        {groups
          .filter(([kind]) => sources.some((source) => source.kind === kind))
          .map(([kind, title]) => (
            <div key={kind} role="group" aria-label={title}>
              <h3>{title}</h3>
              {sources
                .filter((source) => source.kind === kind)
                .map(({ id, name }) => (
                  // Hidden entries stay ticked.
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
          ))}
      </div>
    </fieldset>
  );
}
