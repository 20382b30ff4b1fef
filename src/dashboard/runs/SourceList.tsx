import type { ReactNode } from 'react';
import { HEALTHS } from '#domain/health';
import { FilterReader, type ReadFilters } from '#domain/read-filters';
import { readTag, tagSentence } from '#domain/tags';
import { MaintenanceNotice } from '../alerts/MaintenanceNotice.tsx';
import { readMutedNow } from '../alerts/muted-now.ts';
import type { Context } from '../context.ts';
import type { DataTableProps } from '../lists/DataTable.tsx';
import { FilterBar } from '../lists/FilterBar.tsx';
import { FilterChoice, FilterWords, TagFilter, wordOptions } from '../lists/FilterFields.tsx';
import { byName, EmptyState, List } from '../lists/List.tsx';
import { PageHeader } from '../page/PageHeader.tsx';
import { ButtonLink } from '../parts/Button.tsx';
import { open } from '../serving/open.ts';
import type { SourceSearch } from '../services.ts';
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

export const noSources = { next: null, previous: null };

/** @param ids on this page of the list */
export async function readAboutSources(
  context: Context,
  { search, faults }: ReadFilters<SourceSearch>,
  kind: 'cron' | 'queue',
  ids: readonly string[],
) {
  const { team, work } = open(context);
  return {
    faults,
    isNarrowed: search === null || Object.keys(search).length > 0,
    muted: await readMutedNow(work, team.id, kind, ids),
    tags: await work.listTags(team.id, `${kind}s`),
  };
}

type SourceListProps<Row> = Omit<DataTableProps<Row>, 'caption'> &
  Awaited<ReturnType<typeof readAboutSources>> & {
    kind: 'cron' | 'queue';
    next: string | null;
    previous: string | null;
    /** What the search box looks at. */
    searched: string;
    placeholder: string;
    /** If there are none yet: an example, and what it is for. */
    example: string;
    about: string;
    notice?: ReactNode;
  };

/** The page of all crons or queues. */
export function SourceList<Row>(props: SourceListProps<Row>) {
  const { kind, faults, isNarrowed, muted, tags, next, previous, searched, notice } = props;
  const { placeholder, example, about, ...table } = props;
  const title = `${capitalize(kind)}s`;
  const create = <ButtonLink to={`/${kind}s/new`}>{`Create ${kind}`}</ButtonLink>;
  if (table.rows.length === 0 && previous === null && !isNarrowed) {
    return (
      <>
        <PageHeader title={title} />
        <EmptyState title={`No ${kind}s yet`} example={example} action={create}>
          {about}
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <PageHeader title={title} action={create} />
      <div className="stack notices">
        <MaintenanceNotice windows={muted.team} of="the team" />
        {notice}
      </div>
      <FilterBar label={`Search ${kind}s`} faults={faults} clearTo={`/${kind}s`}>
        <FilterWords placeholder={placeholder} />
        <FilterChoice
          name="status"
          label="Health"
          options={[['', 'Any health'], ...wordOptions(HEALTHS)]}
        />
        <TagFilter tags={tags} />
      </FilterBar>
      <List
        {...table}
        caption={title}
        empty={
          <EmptyState title={`No ${kind} matches`}>
            {`The search box looks at ${searched}. Clear the search to see all of them.`}
          </EmptyState>
        }
        page={{ next, previous }}
        words={byName}
      />
    </>
  );
}
