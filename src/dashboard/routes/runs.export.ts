import { open } from '../serving/open.ts';
import { data } from 'react-router';
import { readRunSearch } from '#domain/runs/run-search';
import { RUN_COLUMNS, writeRun } from '#work/record';
import { answerExport, EXPORT_FORMATS } from '../lists/export.ts';
import type { Route } from './+types/runs.export.ts';

export function loader({ context, url }: Route.LoaderArgs): Response {
  const { team, work } = open(context);
  const { search } = readRunSearch(url.searchParams);
  const format = EXPORT_FORMATS.find((each) => each === url.searchParams.get('format'));
  if (search === null || format === undefined) throw data(null, { status: 404 });
  return answerExport({
    format,
    name: 'runs',
    columns: RUN_COLUMNS,
    readPage: (cursor, limit) => work.listRuns(team.id, search, { cursor, limit }),
    write: (run) => {
      const record = writeRun(run);
      return RUN_COLUMNS.map((name) => record[name]);
    },
  });
}
