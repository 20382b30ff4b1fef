import type { Column } from './DataTable.tsx';
import { formatShort } from '../words/times.ts';
import { useMoment } from '../parts/Time.tsx';

/**
 * Columns with the same time by the viewer's clocks behind one in UTC, where there is room: it is the first to give
 * way. None for those who live by UTC.
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
