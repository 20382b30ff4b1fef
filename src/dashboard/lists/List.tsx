import type { ReactNode } from 'react';
import type { FilterFaults } from '#domain/read-filters';
import { formatUtc } from '../words/instants.ts';
import { DataTable, type DataTableProps } from './DataTable.tsx';
import { EmptyState } from './EmptyState.tsx';
import { byTime, Pagination } from './Pagination.tsx';

type ListProps<Row> = DataTableProps<Row> & {
  faults: FilterFaults | null;
  /** In place of a table without rows. */
  empty: ReactNode;
  page?: { next: string | null; previous: string | null; searchedBackTo?: number | null };
  /** For lists in another order. */
  words?: typeof byTime;
  note?: string;
};

export function List<Row>(props: ListProps<Row>) {
  const { faults, empty, page = noPages, words = byTime, note, ...table } = props;
  const { next, previous, searchedBackTo = null } = faults ? noPages : page;
  const searched =
    searchedBackTo === null
      ? note
      : `Searched ${words === byTime ? 'back' : 'up'} to ${formatUtc(searchedBackTo)}; “${words.older}” continues from there.`;
  return (
    <>
      {faults ? (
        <EmptyState title="The filter can’t be read">
          Nothing is shown, and bulk actions are off. Correct the marked filter above, or clear it.
        </EmptyState>
      ) : table.rows.length === 0 ? (
        empty
      ) : (
        <DataTable isLive hasMore={page.next !== null} {...table} />
      )}
      <Pagination older={next} newer={previous} words={words} note={searched} />
    </>
  );
}

const noPages = { next: null, previous: null, searchedBackTo: null };
