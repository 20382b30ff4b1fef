import { Link } from 'react-router';
import { CONNECTION_FAULTS, type FaultCode } from '#domain/http/connection-faults';
import { reasonNames } from '#domain/judging/failure';
import type { ReadFilters } from '#domain/runs/read-filters';
import { filterSentences, readRunSearch, type RunSearch } from '#domain/runs/run-search';
import { offerSources } from '../alerts/alert-filter.ts';
import type { Column } from '../lists/DataTable.tsx';
import { FilterBar, useNarrowed } from '../lists/FilterBar.tsx';
import {
  FilterChoice,
  FilterCodes,
  FilterText,
  FilterTimes,
  FilterWords,
  FurtherFilters,
  OptionGroup,
  SourceOptions,
  TagFilter,
} from '../lists/FilterFields.tsx';
import { EmptyState, Exports, List } from '../lists/List.tsx';
import { readCursor } from '../lists/cut-page.ts';
import { PageHeader } from '../page/PageHeader.tsx';
import { ButtonLink } from '../parts/Button.tsx';
import { Status } from '../parts/Status.tsx';
import { describeFault, reasonOptions } from '../runs/reasons.ts';
import { outcomeColumns, requestColumn } from '../runs/run-columns.tsx';
import { open } from '../serving/open.ts';
import type { FoundRun, NamedSource } from '../services.ts';
import type { Route } from './+types/runs.ts';

export async function loader({ context, url }: Route.LoaderArgs) {
  const { team, work } = open(context);
  const read = readRunSearch(url.searchParams);
  const all = await work.listAlertSources(team.id);
  const { search, faults } = isKnown(read.search, all) ? read : unknownSource;
  const page = await work.listRuns(team.id, search, readCursor(url));
  const sources = offerSources(all, url.searchParams.get('of'));
  return { page, faults, sources, tags: await work.listTags(team.id) };
}

function isKnown(search: RunSearch | null, all: readonly NamedSource[]): boolean {
  const { queueId, cronId } = search ?? {};
  if (queueId === undefined && cronId === undefined) return true;
  return all.some(({ kind, id }) => id === (kind === 'queue' ? queueId : cronId));
}

const unknownSource: ReadFilters<RunSearch> = {
  search: null,
  faults: { of: filterSentences.of },
};

export default function Runs({ loaderData }: Route.ComponentProps) {
  const { page, faults, sources, tags } = loaderData;
  return (
    <>
      <PageHeader title="Runs" every={10} />
      <FilterBar label="Search runs" faults={faults} clearTo="/runs">
        <FilterWords placeholder="Id, URL, queue, cron, status code, reason or any text" />
        <FilterChoice name="of" label="Source" options={kinds}>
          <SourceOptions sources={sources} />
        </FilterChoice>
        <TagFilter tags={tags} />
        <FilterChoice name="status" label="Outcome" options={outcomes} />
        <FilterChoice name="reason" label="Reason" options={reasonOptions}>
          <OptionGroup label={`${reasonNames.connection_error}:`} options={faultOptions} />
        </FilterChoice>
        <FurtherFilters names={['code', 'host', 'text', 'from', 'to']}>
          <FilterCodes />
          <FilterText name="host" label="Host" placeholder="api.example.com" />
          <FilterText name="text" label="Payload or response contains" />
          <FilterTimes />
        </FurtherFilters>
      </FilterBar>
      <List
        faults={faults}
        caption="Runs"
        columns={columns}
        rows={page.rows}
        empty={<Nothing isAtEnd={page.next === null} />}
        page={page}
      />
      {page.rows.length > 0 ? <Exports to="/runs/export" /> : null}
    </>
  );
}

const columns: Column<FoundRun>[] = [
  {
    head: 'Status',
    width: '136px',
    cell: ({ status }) => <Status name={status} />,
  },
  requestColumn,
  {
    head: 'Queue or cron',
    isPlain: true,
    isCutOnPhone: true,
    width: '176px',
    givesWay: 3,
    cell: ({ kind, sourceId, sourceName }) => (
      <Link to={`/${kind === 'job' ? 'queues' : 'crons'}/${sourceId}`} title={sourceName}>
        {sourceName}
      </Link>
    ),
  },
  ...outcomeColumns,
];

const kinds = [
  ['', 'Jobs and crons'],
  ['jobs', 'Jobs'],
  ['crons', 'Crons'],
] as const;
const outcomes = [
  ['', 'Any outcome'],
  ['success', 'Success'],
  ['failure', 'Failed, retried or not'],
  ['retried', 'Failed and retried'],
  ['failed', 'Failed, no retries left'],
] as const;

const faultCodes = Object.keys(CONNECTION_FAULTS) as FaultCode[];
const faultOptions = faultCodes.map((code) => [code, describeFault(code)] as const);

function Nothing({ isAtEnd }: { isAtEnd: boolean }) {
  const isNarrowed = useNarrowed('/runs');
  if (!isAtEnd) {
    return (
      <EmptyState title="No run found so far">
        Select “Older” below to continue the search.
      </EmptyState>
    );
  }
  if (isNarrowed) {
    return (
      <EmptyState title="No run matches">
        The search box looks at ids, URLs, names of queues and crons, payloads, responses and
        errors. Finished runs are kept for a time that the operator sets; counts in plots stay
        longer. Clear the filters to see everything that is left.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="Nothing has been sent yet"
      example="Failed   POST https://api.example.com/orders   HTTP 503   2 min ago"
      action={<ButtonLink to="/jobs/new">Create job</ButtonLink>}
    >
      Every request of the team’s jobs and crons is listed here once it has ended, with its
      response.
    </EmptyState>
  );
}
