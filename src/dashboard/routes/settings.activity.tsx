import { Link, useLocation } from 'react-router';
import { ACTIVITY_AREAS, describeAction, findNamedDoer } from '#domain/team/activity';
import { may } from '#people/roles';
import { readActivitySearch } from '../activity/activity-search.ts';
import { cutPage } from '../lists/cut-page.ts';
import { type Column, timeColumn } from '../lists/DataTable.tsx';
import { FilterBar, FilterFault, useNarrowed } from '../lists/FilterBar.tsx';
import { FilterChoice, FilterTimes } from '../lists/FilterFields.tsx';
import { changeSearch, EmptyState, Exports, List } from '../lists/List.tsx';
import { useLiveRefresh } from '../page/LiveRefresh.tsx';
import { open } from '../serving/open.ts';
import type { Activity } from '../services.ts';
import type { Route } from './+types/settings.activity.ts';

const PAGE_ROWS = 50;

/** §5.10; sign-ins, tokens and secrets are for admins. */
export async function loader({ context, url }: Route.LoaderArgs) {
  const { team, work } = open(context);
  const { search, faults } = readActivitySearch(url.searchParams);
  const withAccess = may(team.role, 'manage-members');
  const found = search
    ? await work.listActivity(team.id, { ...search, withAccess, limit: PAGE_ROWS + 1 })
    : [];
  return { ...cutPage(found, search ?? {}, PAGE_ROWS), faults, withAccess };
}

export default function ActivityPage({ loaderData }: Route.ComponentProps) {
  useLiveRefresh(30);
  const { rows, next, previous, faults, withAccess } = loaderData;
  const isNarrowed = useNarrowed('/settings/activity');
  const areas = Object.entries(ACTIVITY_AREAS).filter(([area]) => withAccess || area !== 'access');
  return (
    <div className="stack">
      <FilterBar
        label="Filter the activity"
        faults={faults}
        clearTo="/settings/activity"
        keep={['by']}
      >
        <FilterChoice name="area" label="About" options={[['', 'Everything'], ...areas]} />
        <FilterFault name="by" />
        <FilterTimes />
      </FilterBar>
      <List
        faults={faults}
        caption="Activity"
        columns={COLUMNS}
        rows={rows}
        empty={
          <EmptyState title={isNarrowed ? 'Nothing matches' : 'Nothing yet'}>
            {isNarrowed
              ? 'Clear the filters to see everything.'
              : 'Changes by members in the dashboard or on the command line are listed here.'}
          </EmptyState>
        }
        page={{ next, previous }}
        note="Activity is kept for 400 days."
      />
      {rows.length > 0 ? <Exports to="/settings/activity/export" /> : null}
    </div>
  );
}

const COLUMNS: Column<Activity>[] = [
  timeColumn('When', ({ at }) => at, { width: '110px' }),
  {
    head: 'What',
    cell: ({ action, subject, detail }) => {
      const to = subject && pageOf(action, subject.id);
      return (
        <>
          {describeAction(action)}
          {subject ? ' ' : null}
          {subject && to ? <Link to={to}>{subject.name}</Link> : (subject?.name ?? null)}
          {detail === null ? null : <span className="muted">{` ${detail}`}</span>}
        </>
      );
    },
  },
  {
    head: 'Who',
    isPlain: true,
    width: '280px',
    cell: (row) => <Who row={row} />,
  },
];

function Who({ row: { actorId, actor } }: { row: Activity }) {
  const { search } = useLocation();
  const by = actorId ?? findNamedDoer(actor) ?? 'command-line';
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

/** Null if it is certainly gone. */
function pageOf(action: string, id: string | null): string | null {
  const page = PAGES.find(([prefix]) => action.startsWith(prefix));
  return page && id !== null && !action.endsWith('.deleted') ? `${page[1]}${id}${page[2]}` : null;
}
