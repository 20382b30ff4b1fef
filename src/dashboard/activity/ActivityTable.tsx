import { Link, useLocation } from 'react-router';
import { describeAction } from '#domain/activity';
import { type Column, DataTable } from '../lists/DataTable.tsx';
import { changeSearch } from '../lists/Pagination.tsx';
import { Time } from '../parts/Time.tsx';
import type { Activity } from '../services.ts';

export function ActivityTable({ activity, hasMore }: { activity: Activity[]; hasMore: boolean }) {
  return (
    <DataTable
      caption="Activity"
      columns={COLUMNS}
      rows={activity}
      keyOf={({ id }) => id}
      isLive
      hasMore={hasMore}
    />
  );
}

const COLUMNS: Column<Activity>[] = [
  { key: 'at', head: 'When', isTime: true, width: '110px', cell: ({ at }) => <Time at={at} /> },
  { key: 'what', head: 'What', cell: (row) => <Deed row={row} /> },
  {
    key: 'who',
    head: 'Who',
    width: '280px',
    isWideOnPhone: true,
    cell: (row) => <Who row={row} />,
  },
];

function Deed({ row: { action, subject, detail } }: { row: Activity }) {
  const to = subject && pageOf(action, subject.id);
  return (
    <>
      {describeAction(action)}
      {subject ? ' ' : null}
      {subject && to ? <Link to={to}>{subject.name}</Link> : (subject?.name ?? null)}
      {detail === null ? null : <span className="muted">{` ${detail}`}</span>}
    </>
  );
}

function Who({ row: { actorId, actor } }: { row: Activity }) {
  const { search } = useLocation();
  const by = actorId ?? 'command-line';
  return (
    <Link to={changeSearch(search, { by, after: null, before: null })} title={`Only by ${actor}`}>
      {actor}
    </Link>
  );
}

const PAGES: readonly [prefix: string, page: string, end: string][] = [
  ['cron.', '/crons/', ''],
  ['queue.', '/queues/', ''],
  ['job.', '/jobs/', ''],
  ['window.', '/maintenance/', '/edit'],
];

/** The page of the thing that the action was done to; null if that is certainly gone. */
function pageOf(action: string, id: string | null): string | null {
  const page = PAGES.find(([prefix]) => action.startsWith(prefix));
  return page && id !== null && !action.endsWith('.deleted') ? `${page[1]}${id}${page[2]}` : null;
}
