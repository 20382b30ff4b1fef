import { open } from '../serving/open.ts';
import { isId } from '#domain/base/ids';
import type { Entry } from '../palette/rank-entries.ts';
import type { Found } from '../services.ts';
import type { Route } from './+types/find.ts';

/** By words, or anything by its id. */
export async function loader({ context, url }: Route.LoaderArgs) {
  const { team, work } = open(context);
  const text = (url.searchParams.get('q') ?? '').trim();
  const found = isId(text.toLowerCase())
    ? [await work.findById(team.id, text)].filter((each) => each !== null)
    : await work.findByWords(team.id, text);
  return Response.json(
    { entries: found.map(entryOf) },
    { headers: { 'Cache-Control': 'no-store' } },
  );
}

const kinds = {
  cron: { page: 'crons', hint: 'Cron' },
  queue: { page: 'queues', hint: 'Queue' },
  job: { page: 'jobs', hint: 'Job' },
  run: { page: 'executions', hint: 'Run' },
} satisfies Record<Found['kind'], { page: string; hint: string }>;

function entryOf(found: Found): Entry {
  const { page, hint } = kinds[found.kind];
  return { name: nameOf(found), to: `/${page}/${found.id}`, hint, isFound: true };
}

function nameOf(found: Found): string {
  if (found.kind === 'job') return `Job ${found.id.slice(-8)} in ${found.queue}`;
  return found.kind === 'run' ? `Run of ${found.cronName}` : found.name;
}
