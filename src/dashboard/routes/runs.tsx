import { open } from '../serving/open.ts';
import { useLocation } from 'react-router';
import type { ReadFilters } from '#domain/read-filters';
import { filterSentences, readRunSearch, type RunSearch } from '#domain/run-search';
import { EmptyState } from '../lists/EmptyState.tsx';
import { Exports } from '../lists/Exports.tsx';
import { ListBody } from '../lists/ListBody.tsx';
import { readCursor } from '../lists/read-cursor.ts';
import { useLiveRefresh } from '../page/LiveRefresh.tsx';
import { PageHeader } from '../page/PageHeader.tsx';
import { ButtonLink } from '../parts/Button.tsx';
import { isNarrowed } from '../runs/run-links.ts';
import { RunFilters, type RunSources } from '../runs/RunFilters.tsx';
import { RunTable } from '../runs/RunTable.tsx';
import type { NamedSource, Work } from '../services.ts';
import type { Route } from './+types/runs.ts';

/** One list of everything that was sent: attempts of jobs and runs of crons that have ended. */
export async function loader({ context, url }: Route.LoaderArgs) {
  const { team, work } = open(context);
  const read = readRunSearch(url.searchParams);
  const { sources, isKnown } = await readSources(work, team.id, read.search);
  const { search, faults } = isKnown ? read : unknownSource;
  const page = await work.listRuns(team.id, search, readCursor(url));
  return { page, faults, sources, tags: await work.listTags(team.id) };
}

const unknownSource: ReadFilters<RunSearch> = {
  search: null,
  faults: { of: filterSentences.of },
};

/** A list to choose from is no place for thousands: the others are chosen on their own pages. */
const mostOffered = 200;

/** What the list can be narrowed to, the chosen one among it, and whether that is the team's. */
async function readSources(work: Work, teamId: string, search: RunSearch | null) {
  const all = await work.listAlertSources(teamId);
  const chosen = search?.queueId ?? search?.cronId;
  const isChosen = ({ kind, id }: NamedSource) =>
    id === chosen && (kind === 'queue') === (search?.queueId !== undefined);
  const isKnown = chosen === undefined || all.some(isChosen);
  const offered = (kind: 'queue' | 'cron') =>
    all
      .filter((each) => each.kind === kind)
      .filter(({ id }, at) => at < mostOffered || id === chosen)
      .map(({ id, name }) => ({ id, name }));
  const sources: RunSources = { queues: offered('queue'), crons: offered('cron') };
  return { sources, isKnown };
}

export default function Runs({ loaderData }: Route.ComponentProps) {
  useLiveRefresh(10);
  const { page, faults, sources, tags } = loaderData;
  const params = new URLSearchParams(useLocation().search);
  return (
    <>
      <PageHeader title="Runs" />
      <RunFilters sources={sources} tags={tags} params={params} faults={faults} />
      <ListBody
        isUnreadable={faults !== null}
        empty={
          page.rows.length > 0 ? null : (
            <Nothing narrowed={isNarrowed(params)} isAtEnd={page.next === null} />
          )
        }
        page={page}
      >
        <RunTable page={page} />
      </ListBody>
      {page.rows.length > 0 ? <Exports to="/runs/export" /> : null}
    </>
  );
}

function Nothing({ narrowed, isAtEnd }: { narrowed: boolean; isAtEnd: boolean }) {
  if (!isAtEnd) {
    return <EmptyState title="None so far">“Older” below goes on with the search.</EmptyState>;
  }
  if (narrowed) {
    return (
      <EmptyState title="No run matches">
        Finished runs are kept for a time that the operator sets; counts in plots stay longer. Clear
        the filters to see everything that is left.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="Nothing has been sent yet"
      example="Failed   POST https://api.example.com/orders   HTTP 503   2 min ago"
      action={<ButtonLink to="/jobs/new">Create job</ButtonLink>}
    >
      Every request that the team’s jobs and crons send is listed here once it has ended, with what
      came back.
    </EmptyState>
  );
}
