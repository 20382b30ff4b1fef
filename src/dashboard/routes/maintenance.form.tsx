import { useRef, useState } from 'react';
import { formatUtcMinute, HOUR_MS, parseUtc } from '#domain/base/instant';
import { LIMITS } from '#domain/base/limits';
import { may } from '#people/roles';
import { readFormPairs } from '#work/form-fields';
import { readWindowInput } from '#work/resources/window';
import { ActivityPanel } from '../activity/ActivityPanel.tsx';
import { alertColumns } from '../alerts/AlertTable.tsx';
import classes from '../alerts/Alerts.module.css';
import { readSourceChoice } from '../alerts/alert-filter.ts';
import { describeLocally, describeWindow, tooManyWindows } from '../alerts/window-words.ts';
import { CheckField, InstantField, TextField } from '../forms/Field.tsx';
import formClasses from '../forms/Form.module.css';
import { Form, useField, useShown, useTypedValues } from '../forms/Form.tsx';
import { FormActions } from '../forms/FormActions.tsx';
import { textIn, type Values } from '../forms/values.ts';
import { wrongId } from '../forms/wrong-fields.ts';
import { DataTable } from '../lists/DataTable.tsx';
import { PageHeader } from '../page/PageHeader.tsx';
import { useMayNotify } from '../page/may-change.ts';
import { Section } from '../parts/Section.tsx';
import { useMoment } from '../parts/Time.tsx';
import type { NamedSource, WindowInput } from '../services.ts';
import { notFound, notHere, open } from '../serving/open.ts';
import { findChange, withVersion } from '../serving/version.ts';
import type { Route } from './+types/maintenance.form.ts';

const MOST_SHOWN = 50;

/** `/maintenance/new`, `/maintenance/:id/edit` */
export async function loader({ params, context, url }: Route.LoaderArgs) {
  const { team, work, now } = open(context);
  const sources = await work.listAlertSources(team.id);
  const { id } = params;
  if (id === undefined) {
    const asked = url.searchParams.get('source') ?? '';
    const choice = readSourceChoice(asked);
    const isOwn = sources.some((each) => each.kind === choice?.kind && each.id === choice.id);
    const start = Math.ceil((now + 1) / HOUR_MS) * HOUR_MS;
    const values: Values = {
      starts_at: formatUtcMinute(start),
      ends_at: formatUtcMinute(start + HOUR_MS),
      covers: !isOwn && may(team.role, 'notifications') ? 'team' : 'chosen',
      'sources[]': isOwn ? [asked] : [],
    };
    return { name: null, values, isOfTeam: false, sources, muted: [], activity: [] };
  }
  const [window, muted, activity] = await Promise.all([
    work.findWindow(team.id, id),
    work.listAlerts(team.id, { windowId: id, limit: MOST_SHOWN }),
    work.listActivityOf(team.id, id),
  ]);
  if (!window) return notHere(context, (teamId) => work.findWindow(teamId, id));
  const { name, covers } = window;
  const isOfTeam = covers === 'team';
  return { name, values: withVersion(valuesOfWindow(window)), isOfTeam, sources, muted, activity };
}

function valuesOfWindow(window: WindowInput): Values {
  const { name, startsAt, endsAt, isWeekly, pausesRuns, covers } = window;
  return {
    name,
    starts_at: formatUtcMinute(startsAt),
    ends_at: formatUtcMinute(endsAt),
    is_weekly: isWeekly ? '1' : '0',
    pauses_runs: pausesRuns ? '1' : '0',
    covers: covers === 'team' ? 'team' : 'chosen',
    'sources[]': covers === 'team' ? [] : covers.map(({ kind, id }) => `${kind}:${id}`),
  };
}

export async function action({ params: { id }, context }: Route.ActionArgs) {
  const { team, work, form, refuse, say, show } = open(context);
  const present = id === undefined ? null : ((await work.findWindow(team.id, id)) ?? notFound());
  const own = await work.listAlertSources(team.id);
  const offered = new Set(own.map((each) => `${each.kind}:${each.id}`));
  const pairs = [...form].flatMap(([name, value]) =>
    typeof value === 'string' && (name !== 'sources[]' || offered.has(value))
      ? [[name, value] as const]
      : [],
  );
  const reading = readWindowInput(readFormPairs(pairs));
  if (!reading.ok) return refuse(Object.fromEntries(reading.errors));
  const { input } = reading;
  const stale = present && findChange(form, valuesOfWindow(present), valuesOfWindow(input));
  if (stale) return show(stale);
  const outcome = await (id === undefined
    ? work.createWindow(team.id, input)
    : work.editWindow(team.id, id, input));
  if (outcome.kind === 'not-found') return notFound();
  if (outcome.kind === 'too-many') return refuse({ name: [tooManyWindows] });
  const done = id === undefined ? 'created' : 'changed';
  return say('/maintenance', `The maintenance window “${input.name}” is ${done}.`);
}

export default function WindowFormPage({ loaderData }: Route.ComponentProps) {
  const { name, values, isOfTeam, sources, muted, activity } = loaderData;
  const mayEdit = useMayNotify() || !isOfTeam;
  return (
    <>
      <PageHeader
        title={name === null ? 'Create maintenance window' : `Edit ${name}`}
        parent={{ to: '/maintenance', text: 'Maintenance' }}
      />
      {mayEdit ? (
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
            <div className={formClasses.pair}>
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
          <FormActions
            word={name === null ? 'Create window' : 'Save'}
            cancelTo="/maintenance"
            canTest={false}
          />
        </Form>
      ) : (
        <p>This window mutes the whole team. Only an admin can change it.</p>
      )}
      {name === null ? null : (
        <section aria-label="Muted alerts" style={{ marginTop: 32 }}>
          <h2>Muted alerts</h2>
          {muted.length === 0 ? (
            <p className="muted">None so far.</p>
          ) : (
            <DataTable
              caption="Alerts that this window muted"
              columns={alertColumns.filter(({ isActions }) => !isActions)}
              rows={muted}
            />
          )}
        </section>
      )}
      <ActivityPanel activity={activity} />
    </>
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
