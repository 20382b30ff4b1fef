import type { Column } from './DataTable.tsx';

/** So that a name can be read. */
const leastOfMain = 250;
const boxWidth = 36;

/** `DataTable.module.css` has rules for the steps above it. No table is narrower in a window of 900 px. */
const alwaysFits = 585;
/** Brings one step just below the width of a table in a window of 1,280 px. */
const step = 210;
const lastStep = 1425;

export type MeasuredColumn<Row> = Column<Row> & {
  /** Undefined: always. */
  from?: number | undefined;
};

/** `from`: the width from which the column fits beside the main one and those that are hidden later. */
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
    if (need <= alwaysFits) return column;
    const steps = Math.ceil((need - alwaysFits) / step);
    return Object.assign({ from: Math.min(lastStep, alwaysFits + step * steps) }, column);
  });
}
