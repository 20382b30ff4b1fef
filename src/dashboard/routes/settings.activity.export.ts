import { open } from '../serving/open.ts';
import { data } from 'react-router';
import { describeAction } from '#domain/team/activity';
import { may } from '#people/roles';
import { readActivitySearch } from '../activity/activity-search.ts';
import { answerExport, EXPORT_FORMATS } from '../lists/export.ts';
import type { Activity } from '../services.ts';
import type { Route } from './+types/settings.activity.export.ts';

const COLUMNS = ['id', 'at', 'actor', 'action', 'what', 'subject_id', 'subject', 'detail'] as const;

export function loader({ context, url }: Route.LoaderArgs): Response {
  const { team, work } = open(context);
  const { search } = readActivitySearch(url.searchParams);
  const format = EXPORT_FORMATS.find((each) => each === url.searchParams.get('format'));
  if (search === null || format === undefined) throw data(null, { status: 404 });
  const withAccess = may(team.role, 'manage-members');
  return answerExport({
    format,
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
