import type { Column } from './DataTable.tsx';
import { formatShort } from './times.ts';
import { useMoment } from './Time.tsx';

/** Where there is room beside a time in UTC: the same by the viewer's clocks. None for those who live by UTC. */
export function useClockColumn<Row>(
  timeOf: (row: Row) => number | null,
  givesWay: number,
): Column<Row>[] {
  const { timeZone } = useMoment();
  if (timeZone === null || timeZone === 'UTC') return [];
  const column: Column<Row> = {
    key: 'clock',
    head: timeZone,
    width: '132px',
    givesWay,
    isHiddenOnPhone: true,
    cell: (row) => {
      const at = timeOf(row);
      return <span className="muted num">{at === null ? '–' : formatShort(at, timeZone)}</span>;
    },
  };
  return [column];
}
