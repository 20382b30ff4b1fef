import { open } from '../serving/open.ts';
import { may } from '#people/roles';
import { ActivityFilters } from '../activity/ActivityFilters.tsx';
import { ActivityTable } from '../activity/ActivityTable.tsx';
import { activityFilters, readActivitySearch } from '../activity/activity-search.ts';
import { cutPage } from '../lists/cut-page.ts';
import { EmptyState } from '../lists/EmptyState.tsx';
import { Exports } from '../lists/Exports.tsx';
import { ListBody } from '../lists/ListBody.tsx';
import { useLiveRefresh } from '../page/LiveRefresh.tsx';
import type { Route } from './+types/settings.activity.ts';

const PAGE_ROWS = 50;

/** Who did what when (§5.10). Sign-ins, tokens and secrets are for those who manage the members. */
export async function loader({ context, url }: Route.LoaderArgs) {
  const { team, work } = open(context);
  const { search, faults } = readActivitySearch(url.searchParams);
  const withAccess = may(team.role, 'manage-members');
  const found = search
    ? await work.listActivity(team.id, { ...search, withAccess, limit: PAGE_ROWS + 1 })
    : [];
  const isNarrowed = activityFilters.some((name) => url.searchParams.get(name));
  return { ...cutPage(found, search ?? {}, PAGE_ROWS), faults, withAccess, isNarrowed };
}

export default function ActivityPage({ loaderData }: Route.ComponentProps) {
  useLiveRefresh(30);
  const { rows, next, previous, faults, withAccess, isNarrowed } = loaderData;
  return (
    <div className="stack">
      <ActivityFilters seesAccess={withAccess} faults={faults} />
      <ListBody
        isUnreadable={faults !== null}
        empty={
          rows.length > 0 ? null : (
            <EmptyState title={isNarrowed ? 'Nothing matches' : 'Nothing yet'}>
              {isNarrowed
                ? 'Clear the filters to see everything.'
                : 'What people of the team change in the dashboard or at the command line is listed here.'}
            </EmptyState>
          )
        }
        page={{ next, previous }}
        note="Activity is kept for 400 days."
      >
        <ActivityTable activity={rows} hasMore={next !== null} />
      </ListBody>
      {rows.length > 0 ? <Exports to="/settings/activity/export" /> : null}
    </div>
  );
}
