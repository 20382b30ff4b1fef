import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import type { FilterFaults } from '#domain/runs/read-filters';
import { ButtonLink } from '../parts/Button.tsx';
import { Glyph } from '../parts/Glyph.tsx';
import { formatUtc } from '../words/times.ts';
import { DataTable, type DataTableProps } from './DataTable.tsx';
import classes from './List.module.css';

type ListProps<Row> = DataTableProps<Row> & {
  faults: FilterFaults | null;
  /** In place of a table without rows. */
  empty: ReactNode;
  page?: { next: string | null; previous: string | null; searchedBackTo?: number | null };
  /** For lists in another order. */
  words?: typeof byTime;
  note?: string;
};

/** A cursor names the row at the edge of this page, so pages don't shift while rows come and go. */
export function List<Row>(props: ListProps<Row>) {
  const { search } = useLocation();
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
      ) : table.rows.length === 0 && previous !== null && next === null ? (
        <EmptyState title="This page is empty now">Its rows were deleted or changed.</EmptyState>
      ) : table.rows.length === 0 ? (
        empty
      ) : (
        <DataTable isLive hasMore={page.next !== null} {...table} />
      )}
      {next === null && previous === null && !searched ? null : (
        <nav className={classes.pages} aria-label="Pages">
          <span className="muted">{searched}</span>
          <span className="row">
            {previous === null ? null : (
              <>
                <ButtonLink
                  variant="quiet"
                  to={changeSearch(search, { before: null, after: null })}
                >
                  {words.newest}
                </ButtonLink>
                <ButtonLink
                  variant="quiet"
                  to={changeSearch(search, { before: previous, after: null })}
                  rel="prev"
                  before={<Glyph name="left" size={14} />}
                >
                  {words.newer}
                </ButtonLink>
              </>
            )}
            {next === null ? null : (
              <ButtonLink
                variant="quiet"
                to={changeSearch(search, { after: next, before: null })}
                rel="next"
              >
                {words.older}
                <Glyph name="right" size={14} />
              </ButtonLink>
            )}
          </span>
        </nav>
      )}
    </>
  );
}

const noPages = { next: null, previous: null, searchedBackTo: null };

type EmptyStateProps = {
  title: string;
  children: ReactNode;
  example?: string;
  action?: ReactNode;
};

/** Purpose, one example, one button. */
export function EmptyState({ title, children, example, action }: EmptyStateProps) {
  return (
    <section className={classes.empty}>
      <h2>{title}</h2>
      <p className="muted">{children}</p>
      {example ? <pre>{example}</pre> : null}
      {action}
    </section>
  );
}

/** Null removes a parameter. Empty ones, which forms without scripts send, are removed, too. */
export function changeSearch(
  search: string,
  changes: Readonly<Record<string, string | null>>,
): string {
  const params = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) params.set(name, value ?? '');
  const given = [...params].filter(([, value]) => value !== '');
  return `?${new URLSearchParams(given).toString()}`;
}

export const byTime = { older: 'Older', newer: 'Newer', newest: 'Newest' };
export const byName = { older: 'Next', newer: 'Previous', newest: 'First' };
export const byDue = { older: 'Later', newer: 'Earlier', newest: 'Next due' };

/** They reload the document: the browser must get the file. */
export function Exports({ to }: { to: string }) {
  const params = new URLSearchParams(useLocation().search);
  for (const name of ['after', 'before']) params.delete(name);
  const addressOf = (format: string) => {
    params.set('format', format);
    return `${to}?${params}`;
  };
  return (
    <p style={{ marginTop: 12 }}>
      Download this list as{' '}
      <Link to={addressOf('csv')} reloadDocument download>
        CSV
      </Link>{' '}
      or{' '}
      <Link to={addressOf('jsonl')} reloadDocument download>
        JSON lines
      </Link>
      .
    </p>
  );
}
