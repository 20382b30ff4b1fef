import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import type { FilterFaults } from '#domain/runs/read-filters';
import { OtherFaults } from '../lists/FilterBar.tsx';
import { changeSearch } from '../lists/List.tsx';
import type { Range } from './ranges.ts';
import { Panel } from '../parts/Panel.tsx';

type RangePanelProps = {
  title: string;
  ranges: readonly Range[];
  range: Range;
  faults: FilterFaults | null;
  children: ReactNode;
};

/** Only the errors if the address is invalid. */
export function RangePanel({ title, ranges, range, faults, children }: RangePanelProps) {
  const { search } = useLocation();
  const current = faults?.['range'] === undefined ? range.name : null;
  const links = (
    <nav className="row" aria-label="Time range">
      {ranges.map(({ name, word }) =>
        name === current ? (
          <strong key={name} aria-current="page">
            {word}
          </strong>
        ) : (
          <Link key={name} to={changeSearch(search, { range: name })} preventScrollReset>
            {word}
          </Link>
        ),
      )}
    </nav>
  );
  return (
    <Panel title={title} beside={links}>
      {current === null ? (
        <OtherFaults faults={faults} names={{ range: 'Time range' }} />
      ) : (
        children
      )}
    </Panel>
  );
}
