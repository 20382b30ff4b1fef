import type { Column } from './DataTable.tsx';
import { formatShort } from '../words/times.ts';
import { useMoment } from '../parts/Time.tsx';

/**
 * Adds a column with the same time in the viewer's time zone behind a column in UTC. It is the first one to be hidden
 * if there is no room. Viewers whose zone is UTC get none.
 */
export function useClockBehind<Row>(
  columns: readonly Column<Row>[],
  behind: string,
  timeOf: (row: Row) => number | null,
): readonly Column<Row>[] {
  const { timeZone } = useMoment();
  if (timeZone === null || timeZone === 'UTC') return columns;
  const clock: Column<Row> = {
    key: 'clock',
    head: timeZone,
    width: '132px',
    givesWay: 0,
    isHiddenOnPhone: true,
    cell: (row) => {
      const at = timeOf(row);
      return <span className="muted num">{at === null ? '–' : formatShort(at, timeZone)}</span>;
    },
  };
  return columns.flatMap((column) => (column.key === behind ? [column, clock] : [column]));
}
