import { isId } from '#domain/ids';
import { may } from '#people/roles';
import { services, signedIn, type Context } from '../context.ts';
import type { Entry } from '../palette/rank-entries.ts';
import type { Found } from '../services.ts';
import type { Route } from './+types/find.ts';

/** The first words of actions; the name of the thing follows them. */
const verbs = /^(?:run|pause|start|enable|edit|create job in)\s+/i;
/** How many of a person's teams are looked through for an id. */
const mostTeams = 50;

/**
 * Answers the palette: finds things of the current team by words, or a thing of any of the person's teams by its id.
 */
export async function loader({ context, url }: Route.LoaderArgs) {
  const formValues = (url.searchParams.get('q') ?? '').trim();
  const entries = isId(formValues.toLowerCase())
    ? await findById(context, formValues)
    : await findByWords(context, formValues);
  return Response.json({ entries }, { headers: { 'Cache-Control': 'no-store' } });
}

async function findById(context: Context, id: string): Promise<Entry[]> {
  const { session, team } = context.get(signedIn);
  const { work } = context.get(services);
  const found = await work.findById(team.id, id);
  if (found) return [entryOf(found), ...actionsOn(found, context)];
  for (const other of session.teams.slice(0, mostTeams)) {
    const theirs = other.id === team.id ? null : await work.findById(other.id, id);
    if (theirs === null) continue;
    const entry = entryOf(theirs);
    return [{ ...entry, hint: `${entry.hint} of team ${other.name}` }];
  }
  return [];
}

async function findByWords(context: Context, formValues: string): Promise<Entry[]> {
  const { team } = context.get(signedIn);
  const { work } = context.get(services);
  const named = formValues.replace(verbs, '');
  const found = await work.findByWords(team.id, formValues);
  if (named !== formValues) {
    const known = new Set(found.map(({ id }) => id));
    const more = await work.findByWords(team.id, named);
    found.push(...more.filter(({ id }) => !known.has(id)));
  }
  return [...found.map(entryOf), ...found.flatMap((each) => actionsOn(each, context))];
}

function entryOf(found: Found): Entry {
  const isFound = true;
  switch (found.kind) {
    case 'cron':
      return { name: found.name, to: `/crons/${found.id}`, hint: 'Cron', isFound };
    case 'queue':
      return { name: found.name, to: `/queues/${found.id}`, hint: 'Queue', isFound };
    case 'job':
      return {
        name: `Job ${found.id.slice(-8)} in ${found.queue}`,
        to: `/jobs/${found.id}`,
        hint: 'Job',
        isFound,
      };
    case 'run':
      return {
        name: `Run of ${found.cronName}`,
        to: `/executions/${found.id}`,
        hint: 'Run',
        isFound,
      };
  }
}

/** The actions that also need only one click on the thing's own page. Those that ask first are not offered. */
function actionsOn(found: Found, context: Context): Entry[] {
  if (!may(context.get(signedIn).team.role, 'work')) return [];
  const action = (name: string, to: string, intent?: string): Entry => ({
    name,
    to,
    hint: 'Action',
    isAction: true,
    ...(intent !== undefined && { post: { intent } }),
  });
  if (found.kind === 'cron') {
    const { name, isActive } = found;
    const to = `/crons/${found.id}`;
    return [
      action(`Run ${name} now`, to, 'run'),
      isActive ? action(`Pause ${name}`, to, 'pause') : action(`Start ${name}`, to, 'start'),
      action(`Edit ${name}`, `${to}/edit`),
    ];
  }
  if (found.kind !== 'queue') return [];
  const { name, isPaused } = found;
  const to = `/queues/${found.id}`;
  const create = `/jobs/new?queue=${encodeURIComponent(name)}`;
  return [
    // The form does not offer a paused queue.
    ...(isPaused ? [] : [action(`Create job in ${name}`, create)]),
    isPaused ? action(`Enable ${name}`, to, 'enable') : action(`Pause ${name}`, to, 'pause'),
    action(`Edit ${name}`, `${to}/edit`),
  ];
}
