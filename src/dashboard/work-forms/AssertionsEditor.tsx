import { useEffect, useId, useRef, useState } from 'react';
import { ASSERTION_KINDS, hasPath, labelOfKind, MAX_ASSERTIONS } from '#domain/judging/assertion';
import { describeWrong, FieldFrame } from '../forms/Field.tsx';
import { useField, useShown } from '../forms/Form.tsx';
import classes from '../forms/Form.module.css';
import { Button, CrossButton } from '../parts/Button.tsx';
import { Glyph } from '../parts/Glyph.tsx';

type AssertionRow = { kind: string; path: string; value: string };

const kinds = [
  { value: '', text: 'None', hasPath: false } as const,
  ...ASSERTION_KINDS.map((value) => {
    return { value, text: labelOfKind(value), hasPath: hasPath(value) };
  }),
];

const blank: AssertionRow = { kind: '', path: '', value: '' };
const added: AssertionRow = { ...blank, kind: 'json_path_equals' };

/** §2.4. Without a script there are two empty rows. */
export function AssertionsEditor() {
  const { errors } = useShown();
  const { error } = useField('assertions');
  const paths = useField('assertion_path').list;
  const values = useField('assertion_value').list;
  const kinds = useField('assertion_kind').list;
  const ref = useRef<HTMLDivElement>(null);
  const [hasScript, setScript] = useState(false);
  // Kept when an answer brings the rows that were sent: input since then must stay.
  const [rows, setRows] = useState(() => {
    const given = kinds.map((kind, at) => {
      return { kind, path: paths[at] ?? '', value: values[at] ?? '' };
    });
    const stored = given.filter(({ kind }) => kind !== '');
    return [...stored, blank, blank].map((row, key) => ({ key, row }));
  });
  const nextKey = useRef(rows.length);
  useEffect(() => {
    setScript(true);
    // A kind chosen before the script ran stays.
    const selects = ref.current?.querySelectorAll('select');
    setRows((before) => before.filter(({ key }) => selects?.[key]?.value));
  }, []);
  // An error names its row, counted from 1. Its mark stays there if rows before it are removed.
  const wrongAt = Number(/^Assertion (\d+):/.exec(error ?? '')?.[1] ?? 0) - 1;
  const [wrongKey, setWrongKey] = useState<number | undefined>(wrongAt);
  useEffect(() => setWrongKey(rows[wrongAt]?.key), [errors]);
  return (
    <FieldFrame
      name="assertions"
      controlId={useId()}
      isGroup
      label="Success assertions"
      description="All must hold for a 2xx response to count as a success. Write expected values as JSON; plain text needs no quotes."
      error={error}
    >
      <div className={classes.editor} ref={ref}>
        {rows.map(({ key, row }, at) => (
          <Row
            key={key}
            row={row}
            number={at + 1}
            isWrong={key === wrongKey}
            onRemove={
              hasScript ? () => setRows(rows.filter((other) => other.key !== key)) : undefined
            }
          />
        ))}
        {hasScript && rows.length < MAX_ASSERTIONS ? (
          <Button
            variant="quiet"
            size="small"
            before={<Glyph name="plus" size={12} />}
            onClick={() => setRows([...rows, { key: nextKey.current++, row: added }])}
          >
            Add assertion
          </Button>
        ) : null}
      </div>
    </FieldFrame>
  );
}

type RowProps = {
  row: AssertionRow;
  number: number;
  isWrong: boolean;
  onRemove: (() => void) | undefined;
};

function Row({ row, number, isWrong, onRemove }: RowProps) {
  const shared = {
    ...describeWrong('assertions', isWrong),
    className: 'control mono',
    spellCheck: false,
    autoComplete: 'off',
  };
  return (
    <div className={classes.assertion}>
      <select
        {...describeWrong('assertions', isWrong)}
        className="control"
        name="assertion_kind"
        aria-label={`Assertion ${number}`}
        defaultValue={row.kind}
      >
        {kinds.map(({ value, text, hasPath: hasOne }) => (
          <option key={value} value={value} data-path={hasOne || undefined}>
            {text}
          </option>
        ))}
      </select>
      <input
        {...shared}
        name="assertion_path"
        aria-label={`Assertion ${number}, JSON path`}
        placeholder="data.items[0].id"
        defaultValue={row.path}
      />
      <input
        {...shared}
        name="assertion_value"
        aria-label={`Assertion ${number}, expected`}
        placeholder="Expected"
        defaultValue={row.value}
      />
      {onRemove ? <CrossButton label={`Remove assertion ${number}`} onClick={onRemove} /> : null}
    </div>
  );
}
