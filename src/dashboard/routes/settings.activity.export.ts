import { notFound, open } from '../serving/open.ts';
import { describeAction } from '#domain/team/activity';
import { may } from '#people/roles';
import { readActivitySearch } from '../activity/activity-search.ts';
import { answerExport } from '../lists/export.ts';
import type { Activity } from '../services.ts';
import type { Route } from './+types/settings.activity.export.ts';

const COLUMNS = ['id', 'at', 'actor', 'action', 'what', 'subject_id', 'subject', 'detail'] as const;

export function loader({ context, url }: Route.LoaderArgs): Response {
  const { team, work } = open(context);
  const { search } = readActivitySearch(url.searchParams);
  if (search === null) return notFound();
  const withAccess = may(team.role, 'manage-members');
  return answerExport({
    format: url.searchParams.get('format'),
    name: 'activity',
    columns: COLUMNS,
    readPage: async (before, limit) => {
      const asked = { ...search, ...(before && { before }), withAccess, limit };
      const rows = await work.listActivity(team.id, asked);
      return { rows, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
    },
    write: writeActivity,
  });
}

function writeActivity({ id, at, actor, action, subject, detail }: Activity) {
  const what = describeAction(action);
  const instant = new Date(at).toISOString();
  return [id, instant, actor, action, what, subject?.id ?? null, subject?.name ?? null, detail];
}
