import { formatUtcMinute, HOUR_MS } from '#domain/base/instant';
import { may } from '#people/roles';
import { readFormPairs } from '#work/form-fields';
import { readWindowInput } from '#work/resources/window';
import { ActivityPanel } from '../activity/ActivityPanel.tsx';
import { readSourceChoice } from '../alerts/alert-filter.ts';
import { alertColumns } from '../alerts/AlertTable.tsx';
import { WindowForm } from '../alerts/WindowForm.tsx';
import { tooManyWindows } from '../alerts/window-words.ts';
import type { Values } from '../forms/values.ts';
import { DataTable } from '../lists/DataTable.tsx';
import { useMayNotify } from '../page/may-change.ts';
import { PageHeader } from '../page/PageHeader.tsx';
import { notFound, notHere, open } from '../serving/open.ts';
import type { Alert, MaintenanceWindowView } from '../services.ts';
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
  return { name, values: valuesOfWindow(window), isOfTeam, sources, muted, activity };
}

function valuesOfWindow(window: MaintenanceWindowView): Values {
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
  const { team, work, form, refuse, say } = open(context);
  if (id !== undefined && !(await work.findWindow(team.id, id))) notFound();
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
        <WindowForm
          values={values}
          sources={sources}
          word={name === null ? 'Create window' : 'Save'}
        />
      ) : (
        <p>This window mutes the whole team. Only an admin can change it.</p>
      )}
      {name === null ? null : <Muted alerts={muted} />}
      <ActivityPanel activity={activity} />
    </>
  );
}

function Muted({ alerts }: { alerts: readonly Alert[] }) {
  return (
    <section aria-label="Muted alerts" style={{ marginTop: 32 }}>
      <h2>Muted alerts</h2>
      {alerts.length === 0 ? (
        <p className="muted">None so far.</p>
      ) : (
        <DataTable
          caption="Alerts that this window muted"
          columns={alertColumns.filter(({ isActions }) => !isActions)}
          rows={alerts}
        />
      )}
    </section>
  );
}
