import { useEffect, useState, type ReactNode } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { formatAmount, NOTHING } from '../words/amounts.ts';
import { Form } from '../forms/Form.tsx';
import { Time, useShownZone } from '../parts/Time.tsx';
import { measureColumns, type MeasuredColumn } from './column-widths.ts';
import { useMaySend } from '../page/may-change.ts';
import {
  clickRow,
  isWholePage,
  keepExisting,
  nothingSelected,
  selectPage,
  type Selection,
} from './selection.ts';
import { mergeRows } from './waiting-rows.ts';
import classes from './DataTable.module.css';

export type Column<Row> = {
  head: string;
  cell: (row: Row) => ReactNode;
  /**
   * The main column has none and takes the rest; on a phone it is on the first line of a row, behind the first column.
   */
  width?: `${number}px`;
  /** Columns with the lowest number are hidden first; those without one stay. */
  givesWay?: number;
  isNumber?: boolean;
  /** The head names the zone. */
  isTime?: boolean;
  /** Not shown in narrower windows: 600 keeps it on tablets, 900 shows it in tables only. */
  hiddenBelow?: 600 | 900;
  /** On phones and tablets it is shown without its head. */
  isPlain?: boolean;
  /** On phones and tablets it is cut if its line has no room for it. */
  isCutOnPhone?: boolean;
  /** Viewers don't see it. */
  isActions?: boolean;
};

type ColumnRest<Row> = Partial<Omit<Column<Row>, 'head' | 'cell'>>;

export function timeColumn<Row>(
  head: string,
  read: (row: Row) => number | null,
  rest: ColumnRest<Row> = {},
): Column<Row> {
  return { head, isTime: true, width: '112px', cell: (row) => <Time at={read(row)} />, ...rest };
}

export function numberColumn<Row>(
  head: string,
  width: `${number}px`,
  cell: Column<Row>['cell'],
  rest: ColumnRest<Row> = {},
): Column<Row> {
  return { head, isNumber: true, width, cell, ...rest };
}

/** @param hiddenBelow the subject's page must have these actions, too */
export function actionsColumn<Row>(
  width: `${number}px`,
  cell: (row: Row) => ReactNode,
  hiddenBelow?: 600,
): Column<Row> {
  return { head: 'Actions', isActions: true, width, cell, ...(hiddenBelow && { hiddenBelow }) };
}

export type BulkActions = {
  matching: { count: number; isMore: boolean };
  /** For actions on all that match. */
  asOf?: number;
  /** Sends `id` (repeated) or `all`=1. `count` is null before a script runs. */
  buttons: (chosen: { count: number | null; text: string }) => ReactNode;
};

export type DataTableProps<Row> = {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Default: `id`. */
  keyOf?: (row: Row) => string;
  bulk?: BulkActions | undefined;
  isLive?: boolean;
  hasMore?: boolean;
};

/**
 * Live changes are made in place; new rows wait behind a line. Ticked rows (shift for a
 * range) are sent with a form that works without a script.
 */
export function DataTable<Row>({
  caption,
  columns: given,
  rows,
  keyOf = idOf,
  bulk: offered,
  ...live
}: DataTableProps<Row>) {
  const { shown, waiting, left, showAll } = useLiveRows({ rows, keyOf, ...live });
  const maySend = useMaySend();
  const bulk = maySend ? offered : undefined;
  const columns = given.filter(({ isActions }) => maySend || !isActions);
  const order = shown.map(keyOf);
  const [selection, setSelection] = useSelection(order);
  const selecting = { order, selection, onChange: setSelection };
  const parts = {
    columns: measureColumns(columns, bulk !== undefined),
    selecting: bulk ? selecting : null,
  };
  return (
    <div className={classes.frame} data-pauses-refresh={selection.ids.size > 0 || undefined}>
      {bulk ? <BulkBar bulk={bulk} {...selecting} /> : null}
      <div role="status" className={classes.waiting}>
        {waiting > 0 ? (
          <button type="button" onClick={() => void showAll()}>
            {`${formatAmount({ count: waiting, isMore: left === shown.length })} new`}
          </button>
        ) : null}
        {left > 0 ? (
          <p className="quiet">{`The last ${left === 1 ? 'row is' : `${left} rows are`} no longer updated.`}</p>
        ) : null}
      </div>
      <div className={classes.scroll}>
        <table className={classes.table}>
          <caption className="sr-only">{caption}</caption>
          <TableHead {...parts} />
          <tbody>
            {shown.map((row) => (
              <TableRow key={keyOf(row)} id={keyOf(row)} row={row} {...parts} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

const idOf = (row: unknown) => (row as { id: string }).id;

/** Showing waiting rows opens the page again, and ticked rows stay ticked. */
function useSelectionPlace(): string {
  const { key, search, state } = useLocation();
  return (state as { selectionPlace?: string } | null)?.selectionPlace ?? key + search;
}

/** Forgotten on another page, with another filter, and after an action. */
function useSelection(order: readonly string[]): [Selection, (selection: Selection) => void] {
  const place = useSelectionPlace();
  const [chosen, setChosen] = useState({ place, selection: nothingSelected });
  const selection =
    chosen.place === place ? keepExisting(chosen.selection, order) : nothingSelected;
  return [selection, (next) => setChosen({ place, selection: next })];
}

/** Another page or another filter, and showing waiting rows, which opens the page again, begin with the rows given. */
function useLiveRows<Row>({
  rows,
  keyOf,
  isLive = false,
  hasMore = false,
}: Pick<DataTableProps<Row>, 'rows' | 'isLive' | 'hasMore'> & { keyOf: (row: Row) => string }) {
  const { key, pathname, search } = useLocation();
  const navigate = useNavigate();
  const selectionPlace = useSelectionPlace();
  const place = key + search;
  const [seen, setSeen] = useState({ place, shown: rows });
  const merged =
    isLive && seen.place === place
      ? mergeRows(seen.shown, rows, { keyOf, hasMore })
      : { shown: rows, waiting: 0, left: 0 };
  const isSame =
    merged.shown.length === seen.shown.length &&
    merged.shown.every((row, at) => row === seen.shown[at]);
  if (!isSame || seen.place !== place) setSeen({ place, shown: merged.shown });
  const showAll = () =>
    navigate(pathname + search, {
      replace: true,
      preventScrollReset: true,
      state: { selectionPlace },
    });
  return { ...merged, showAll };
}

type Selecting = {
  order: readonly string[];
  selection: Selection;
  onChange: (selection: Selection) => void;
};

type PartProps<Row> = { columns: readonly MeasuredColumn<Row>[]; selecting: Selecting | null };

function TableHead<Row>({ columns, selecting }: PartProps<Row>) {
  const { word } = useShownZone();
  return (
    <thead>
      <tr>
        {selecting ? (
          <th className={classes.box}>
            <input
              type="checkbox"
              className="needs-script"
              aria-label="Select all rows of this page"
              checked={isWholePage(selecting.selection, selecting.order)}
              onChange={({ currentTarget: { checked } }) =>
                selecting.onChange(selectPage(selecting.order, checked))
              }
            />
          </th>
        ) : null}
        {columns.map((column, at) => (
          <th
            key={at}
            scope="col"
            data-from={column.from}
            data-number={column.isNumber || undefined}
            style={column.width && { width: column.width }}
          >
            {column.isTime ? `${column.head}, ${word}` : column.head}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function TableRow<Row>({ id, row, columns, selecting }: PartProps<Row> & { id: string; row: Row }) {
  const isChosen = selecting?.selection.ids.has(id) ?? false;
  return (
    <tr data-chosen={isChosen || undefined}>
      {selecting ? (
        <td className={classes.box}>
          <input
            type="checkbox"
            name="id"
            value={id}
            form="bulk"
            aria-label="Select row"
            checked={isChosen}
            onChange={({ currentTarget: { checked }, nativeEvent }) => {
              const { order, selection, onChange } = selecting;
              const withShift = nativeEvent instanceof MouseEvent && nativeEvent.shiftKey;
              onChange(clickRow(selection, id, { order, withShift, checked }));
            }}
          />
        </td>
      ) : null}
      {columns.map((column, at) => {
        const content = column.cell(row);
        return (
          <td
            key={at}
            data-head={column.head}
            data-from={column.from}
            data-first={at === 0 || undefined}
            data-plain={column.isPlain || undefined}
            data-main={column.width === undefined || undefined}
            data-actions={column.isActions || undefined}
            data-number={column.isNumber || undefined}
            data-cut={column.isCutOnPhone || undefined}
            data-hidden-below={column.hiddenBelow}
            data-nothing={content === NOTHING || undefined}
          >
            <div>{content}</div>
          </td>
        );
      })}
    </tr>
  );
}

function BulkBar({ bulk, order, selection, onChange }: Selecting & { bulk: BulkActions }) {
  const { count, isMore } = bulk.matching;
  const all = formatAmount(bulk.matching);
  const chosen = selection.everything
    ? { count, text: all }
    : { count: selection.ids.size, text: String(selection.ids.size) };
  const isNothing = selection.ids.size === 0;
  // Enabled at first: without a script nothing could enable them later.
  const [isRunning, setRunning] = useState(false);
  useEffect(() => setRunning(true), []);
  return (
    <Form id="bulk" className={classes.bulk} data-nothing={isNothing || undefined}>
      {selection.everything ? <input type="hidden" name="all" value="1" /> : null}
      {bulk.asOf === undefined ? null : <input type="hidden" name="as_of" value={bulk.asOf} />}
      <span className="needs-script">
        {selection.everything
          ? `All ${all} that match are selected.`
          : `${selection.ids.size} selected.`}{' '}
        {isWholePage(selection, order) &&
        !selection.everything &&
        (count > order.length || isMore) ? (
          <button
            type="button"
            className={classes.link}
            onClick={() => onChange({ ...selection, everything: true })}
          >
            Select all {all} that match
          </button>
        ) : null}
        {isNothing ? null : (
          <button type="button" className={classes.link} onClick={() => onChange(nothingSelected)}>
            Clear
          </button>
        )}
      </span>
      <noscript>
        <label>
          <input type="checkbox" name="all" value="1" /> All {all} that match
        </label>
      </noscript>
      <span className="row" inert={isNothing && isRunning}>
        {bulk.buttons(isNothing ? { count: null, text: 'selected' } : chosen)}
      </span>
    </Form>
  );
}
