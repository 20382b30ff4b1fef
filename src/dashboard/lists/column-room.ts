/**
 * Decides from which width on each column of a table is shown. Less important columns are hidden first, the main
 * column never.
 */
import type { Column } from './DataTable.tsx';

/** The width that the main column needs, so that a name or a host can be read. */
const leastOfMain = 250;
const boxWidth = 36;

/** The widths for which `DataTable.module.css` has rules. */
const firstStep = 480;
const step = 120;
const lastStep = 1560;

export type MeasuredColumn<Row> = Column<Row> & {
  /** The width of the table from which on the column is shown; undefined: always. */
  from?: number | undefined;
};

/** A column is shown if there is room for it, for all columns that are hidden later, and for the main column. */
export function measureColumns<Row>(
  columns: readonly Column<Row>[],
  hasBoxes: boolean,
): MeasuredColumn<Row>[] {
  const needOf = ({ width }: Column<Row>) =>
    width === undefined ? leastOfMain : Number.parseFloat(width);
  return columns.map((column) => {
    const rank = column.givesWay;
    if (rank === undefined) return column;
    const beside = columns.filter(({ givesWay = Infinity }) => givesWay >= rank);
    const need = beside.reduce((sum, each) => sum + needOf(each), hasBoxes ? boxWidth : 0);
    const steps = Math.ceil((need - firstStep) / step);
    return Object.assign(
      { from: Math.min(lastStep, firstStep + step * Math.max(0, steps)) },
      column,
    );
  });
}
