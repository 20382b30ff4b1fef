import { notFound, open } from '../serving/open.ts';
import { readRunSearch } from '#domain/runs/run-search';
import { RUN_COLUMNS, writeRun } from '#work/record';
import { answerExport } from '../lists/export.ts';
import type { Route } from './+types/runs.export.ts';

export function loader({ context, url }: Route.LoaderArgs): Response {
  const { team, work } = open(context);
  const { search } = readRunSearch(url.searchParams);
  if (search === null) return notFound();
  return answerExport({
    format: url.searchParams.get('format'),
    name: 'runs',
    columns: RUN_COLUMNS,
    readPage: (cursor, limit) => work.listRuns(team.id, search, { cursor, limit }),
    write: (run) => {
      const record = writeRun(run);
      return RUN_COLUMNS.map((name) => record[name]);
    },
  });
}
