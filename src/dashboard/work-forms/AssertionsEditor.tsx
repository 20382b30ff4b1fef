import { useEffect, useId, useRef, useState } from 'react';
import { ASSERTION_KINDS, hasPath, labelOfKind, MAX_ASSERTIONS } from '#domain/judging/assertion';
import { describeWrong, FieldFrame } from '../forms/Field.tsx';
import { useField } from '../forms/Form.tsx';
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

/** §2.4. Without a script there are two empty rows. */
export function AssertionsEditor() {
  const { error } = useField('assertions');
  const paths = useField('assertion_path').list;
  const values = useField('assertion_value').list;
  const stored = useField('assertion_kind').list.map((kind, at) => {
    return { kind, path: paths[at] ?? '', value: values[at] ?? '' };
  });
  const { hasScript, list, setList, ref } = useRows(stored.filter(({ kind }) => kind !== ''));
  // An error names its row: counted from 1, while keys begin at 0.
  const wrongRow = Number(/^Assertion (\d+):/.exec(error ?? '')?.[1] ?? 0);
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
        {list.map(({ key, row }, at) => (
          <Row
            key={key}
            row={row}
            number={at + 1}
            isWrong={key + 1 === wrongRow}
            onRemove={
              hasScript ? () => setList(list.filter((other) => other.key !== key)) : undefined
            }
          />
        ))}
        {hasScript && list.length < MAX_ASSERTIONS ? (
          <Button
            variant="quiet"
            size="small"
            before={<Glyph name="plus" size={12} />}
            onClick={() =>
              setList([
                ...list,
                {
                  key: Math.max(-1, ...list.map(({ key }) => key)) + 1,
                  row: { ...blank, kind: 'json_path_equals' },
                },
              ])
            }
          >
            Add assertion
          </Button>
        ) : null}
      </div>
    </FieldFrame>
  );
}

function useRows(rows: readonly AssertionRow[]) {
  const ref = useRef<HTMLDivElement>(null);
  const [hasScript, setScript] = useState(false);
  const [list, setList] = useState<{ key: number; row: AssertionRow }[]>(() =>
    [...rows, blank, blank].map((row, key) => ({ key, row })),
  );
  const isFirst = useRef(true);
  // A refresh brings the same rows; input must stay.
  const given = JSON.stringify(rows);
  useEffect(() => {
    setScript(true);
    const fresh = JSON.parse(given) as readonly AssertionRow[];
    // A kind chosen before the script ran stays.
    const kinds = isFirst.current ? ref.current?.querySelectorAll('select') : undefined;
    isFirst.current = false;
    setList((before) => [
      ...fresh.map((row, key) => ({ key, row })),
      ...before.filter(({ key }) => key >= fresh.length && kinds?.[key]?.value),
    ]);
  }, [given]);
  return { hasScript, list, setList, ref };
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
