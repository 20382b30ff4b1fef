/** Which columns of a table stand at which width: the less important ones give way before what a row is about. */
import type { Column } from './DataTable.tsx';

/** What a column without a width of its own needs, so that a name or a host can be read. */
const leastOfMain = 250;
const boxWidth = 36;

/** The widths that `DataTable.module.css` knows. */
const firstStep = 540;
const step = 60;
const lastStep = 1620;

export type MeasuredColumn<Row> = Column<Row> & {
  /** Shown from this width of the table on; undefined: always. */
  from?: number | undefined;
};

/** A column stands where there is room for it, for all that stay longer, and for what the rows are about. */
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
