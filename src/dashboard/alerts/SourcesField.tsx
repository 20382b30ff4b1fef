import type { FieldErrors, NamedSource } from '../services.ts';
import { useTypedText } from '../forms/typed-text.ts';
import { useMayNotify } from '../page/may-change.ts';
import { wrongId } from '../forms/wrong-fields.ts';
import classes from './Alerts.module.css';
import type { WindowFormValues } from './window-form-values.ts';

/** From this many entries on, the list has a search field. */
const SEARCHED_FROM = 12;

/** Chooses the whole team, or ticked crons and queues. The style sheet alone shows the list when it is chosen. */
export function SourcesField({
  formValues,
  errors,
  sources,
}: {
  formValues: WindowFormValues;
  errors: FieldErrors | undefined;
  sources: readonly NamedSource[];
}) {
  const wanted = useTypedText('');
  const mayMuteTeam = useMayNotify();
  const error = [...(errors?.['covers'] ?? []), ...(errors?.['sources'] ?? [])].join(' ');
  const part = wanted.text.trim().toLowerCase();
  return (
    <fieldset className={classes.covers} aria-describedby={error ? wrongId('sources') : undefined}>
      <legend className="sr-only">What it mutes</legend>
      {mayMuteTeam ? (
        <Choice value="team" text="The whole team" formValues={formValues} />
      ) : (
        <p className="muted">Only an admin can mute the whole team.</p>
      )}
      <Choice value="chosen" text="Chosen crons and queues" formValues={formValues} />
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
        <Group title="Crons" kind="cron" {...{ sources, formValues, part }} />
        <Group title="Queues" kind="queue" {...{ sources, formValues, part }} />
      </div>
    </fieldset>
  );
}

function Choice({
  value,
  text,
  formValues,
}: {
  value: WindowFormValues['covers'];
  text: string;
  formValues: WindowFormValues;
}) {
  return (
    <label>
      <input
        type="radio"
        name="covers"
        value={value}
        defaultChecked={formValues.covers === value}
      />
      {text}
    </label>
  );
}

type GroupProps = {
  title: string;
  kind: NamedSource['kind'];
  sources: readonly NamedSource[];
  formValues: WindowFormValues;
  /** The text that a name must contain to be shown. Hidden entries stay ticked. */
  part: string;
};

function Group({ title, kind, sources, formValues, part }: GroupProps) {
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
            defaultChecked={formValues.sources.includes(`${kind}:${id}`)}
          />
          <span>{name}</span>
        </label>
      ))}
    </div>
  );
}
