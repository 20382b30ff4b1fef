import type { ReactNode } from 'react';
import { formatUtc } from '../words/instants.ts';
import { UnreadableFilter } from './FilterFault.tsx';
import { byTime, Pagination } from './Pagination.tsx';

type ListBodyProps = {
  /** Whether a filter can't be read. */
  isUnreadable: boolean;
  /** What stands in the place of a table without rows; null where there are some. */
  empty: ReactNode;
  /** The ways to other pages; none of a list that has no pages. */
  page?: { next: string | null; previous: string | null; searchedBackTo?: number | null };
  /** Other labels for those ways, for lists that are not in order of time or begin with the earliest. */
  words?: typeof byTime;
  note?: string;
  /** The table. */
  children: ReactNode;
};

/** A list under its filters: its table, or why there is none, and the ways to the pages before and after. */
export function ListBody({
  isUnreadable,
  empty,
  page = noPages,
  words = byTime,
  note,
  children,
}: ListBodyProps) {
  const { next, previous, searchedBackTo = null } = isUnreadable ? noPages : page;
  const searched =
    searchedBackTo === null
      ? note
      : `Searched ${words === byTime ? 'back' : 'up'} to ${formatUtc(searchedBackTo)}; “${words.older}” goes on from there.`;
  return (
    <>
      {isUnreadable ? <UnreadableFilter /> : (empty ?? children)}
      <Pagination
        older={next}
        newer={previous}
        words={words}
        {...(searched === undefined ? {} : { note: searched })}
      />
    </>
  );
}

const noPages = { next: null, previous: null, searchedBackTo: null };
