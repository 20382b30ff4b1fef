import { useState } from 'react';
import type { FieldErrors, NamedSource } from '../services.ts';
import { wrongId } from '../forms/wrong-fields.ts';
import classes from './Alerts.module.css';
import type { WindowTyped } from './window-typed.ts';

/** From so many on, the list has a field to find one in it. */
const SEARCHED_FROM = 12;

/** The whole team, or ticked crons and queues; the list shows with the choice, by the style sheet alone. */
export function SourcesField({
  typed,
  errors,
  sources,
}: {
  typed: WindowTyped;
  errors: FieldErrors | undefined;
  sources: readonly NamedSource[];
}) {
  const [wanted, setWanted] = useState('');
  const error = [...(errors?.['covers'] ?? []), ...(errors?.['sources'] ?? [])].join(' ');
  const part = wanted.trim().toLowerCase();
  return (
    <fieldset className={classes.covers} aria-describedby={error ? wrongId('sources') : undefined}>
      <legend className="sr-only">What it mutes</legend>
      <Choice value="team" text="The whole team" typed={typed} />
      <Choice value="chosen" text="Chosen crons and queues" typed={typed} />
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
            value={wanted}
            onChange={(event) => setWanted(event.currentTarget.value)}
          />
        ) : null}
        <Group title="Crons" kind="cron" {...{ sources, typed, part }} />
        <Group title="Queues" kind="queue" {...{ sources, typed, part }} />
      </div>
    </fieldset>
  );
}

function Choice({
  value,
  text,
  typed,
}: {
  value: WindowTyped['covers'];
  text: string;
  typed: WindowTyped;
}) {
  return (
    <label>
      <input type="radio" name="covers" value={value} defaultChecked={typed.covers === value} />
      {text}
    </label>
  );
}

type GroupProps = {
  title: string;
  kind: NamedSource['kind'];
  sources: readonly NamedSource[];
  typed: WindowTyped;
  /** What a name must hold to be shown; what is hidden stays ticked. */
  part: string;
};

function Group({ title, kind, sources, typed, part }: GroupProps) {
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
            defaultChecked={typed.sources.includes(`${kind}:${id}`)}
          />
          <span>{name}</span>
        </label>
      ))}
    </div>
  );
}
