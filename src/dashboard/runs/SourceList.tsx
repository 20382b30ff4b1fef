import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { HEALTHS } from '#domain/alerts/health';
import { coversSource } from '#domain/team/maintenance';
import { FilterReader, type ReadFilters } from '#domain/runs/read-filters';
import { readTag, tagSentence } from '#domain/team/tags';
import { MaintenanceNotice } from '../alerts/MaintenanceNotice.tsx';
import { readMutedNow, shortenWindow } from '../alerts/muted-now.ts';
import { readCursor } from '../lists/cut-page.ts';
import type { BulkActions, Column } from '../lists/DataTable.tsx';
import { FilterBar } from '../lists/FilterBar.tsx';
import { FilterChoice, FilterWords, TagFilter, wordOptions } from '../lists/FilterFields.tsx';
import { byName, EmptyState, List } from '../lists/List.tsx';
import { PageHeader } from '../page/PageHeader.tsx';
import { ButtonLink } from '../parts/Button.tsx';
import type { CronListRow, QueueListRow, SourceSearch, Work } from '../services.ts';
import { notFound, type open } from '../serving/open.ts';
import { readOwnPath } from '../serving/own-path.ts';
import { capitalize } from '../words/amounts.ts';

/** Empty if the address has none. */
export function readSourceSearch(params: URLSearchParams): ReadFilters<SourceSearch> {
  const filters = new FilterReader(params);
  return filters.finish({
    text: filters.text('q').trim() || undefined,
    health: filters.choice('status', HEALTHS),
    tag: filters.read('tag', readTag, tagSentence),
  });
}

type Page<Row> = { rows: Row[]; next: string | null; previous: string | null };
type Asked = { work: Work; teamId: string; url: URL };

export async function readSourceList<Row extends CronListRow | QueueListRow>(
  { work, teamId, url }: Asked,
  kind: 'cron' | 'queue',
  list: (teamId: string, page: SourceSearch & { cursor?: string }) => Promise<Page<Row>>,
) {
  const { search, faults } = readSourceSearch(url.searchParams);
  const isNarrowed = search === null || Object.keys(search).length > 0;
  const none = { rows: [], next: null, previous: null };
  const [{ rows, ...edges }, muted, tags] = await Promise.all([
    search ? list(teamId, { ...search, ...readCursor(url) }) : none,
    readMutedNow(work, teamId),
    work.listTags(teamId, `${kind}s`),
  ]);
  const withWindows = rows.map((row) => {
    const { id } = 'cron' in row ? row.cron : row.queue;
    const covering = muted.chosen.filter((window) => coversSource(window, { kind, id }));
    return Object.assign(row, { id, windows: covering.map(shortenWindow) });
  });
  return { rows: withWindows, ...edges, faults, isNarrowed, windows: muted.team, tags };
}

export type SourceRow<Row extends CronListRow | QueueListRow> = Awaited<
  ReturnType<typeof readSourceList<Row>>
>['rows'][number];

type SourceListProps<Row extends CronListRow | QueueListRow> = {
  of: 'crons' | 'queues';
  every: number;
  list: Awaited<ReturnType<typeof readSourceList<Row>>>;
  columns: readonly Column<SourceRow<Row>>[];
  /** The search box, and what it looks at. */
  search: { placeholder: string; searches: string };
  /** What a cron or queue is for. */
  none: { example: string; text: string };
  bulk?: BulkActions;
  notice?: ReactNode;
};

export function SourceList<Row extends CronListRow | QueueListRow>(props: SourceListProps<Row>) {
  const { of, every, list, columns, search, none, bulk, notice } = props;
  const { rows, next, previous, faults, isNarrowed, windows, tags } = list;
  const title = capitalize(of);
  const create = <ButtonLink to={`/${of}/new`}>{`Create ${of.slice(0, -1)}`}</ButtonLink>;
  if (rows.length === 0 && previous === null && !isNarrowed) {
    return (
      <>
        <PageHeader title={title} every={every} />
        {notice}
        <EmptyState title={`No ${of} yet`} example={none.example} action={create}>
          {none.text}
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <PageHeader title={title} every={every} action={create} />
      <div className="stack notices">
        <MaintenanceNotice windows={windows} of="the team" />
        {notice}
      </div>
      <FilterBar label={`Search ${of}`} faults={faults} clearTo={`/${of}`}>
        <FilterWords placeholder={search.placeholder} />
        <FilterChoice
          name="status"
          label="Health"
          options={[['', 'Any health'], ...wordOptions(HEALTHS)]}
        />
        <TagFilter tags={tags} />
      </FilterBar>
      <List
        faults={faults}
        caption={title}
        columns={columns}
        rows={rows}
        bulk={bulk}
        empty={
          <EmptyState title={`No ${of.slice(0, -1)} matches`}>
            {`The search box looks at ${search.searches}. Clear the search to see all of them.`}
          </EmptyState>
        }
        page={{ next, previous }}
        words={byName}
      />
    </>
  );
}

/** The page of the cron or queue takes the form and leads back to the list or page that sent it. */
export function useSourceForm(action: string) {
  const { pathname, search } = useLocation();
  return { action, fields: { next: pathname + search } };
}

type Sent = Pick<ReturnType<typeof open>, 'form' | 'say'>;

/** `gone` answers if the cron or queue was deleted: in the list that sent the form, otherwise as a missing page. */
export function readSourceForm({ form, say }: Sent, of: 'cron' | 'queue', page: string) {
  const list = readOwnPath(form.get('next'));
  const gone = (): never => {
    if (list === null) notFound();
    throw say(list, { kind: 'failed', text: `That ${of} is no longer here. Nothing was changed.` });
  };
  return { here: list ?? page, gone };
}
