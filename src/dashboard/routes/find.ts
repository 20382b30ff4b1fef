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
