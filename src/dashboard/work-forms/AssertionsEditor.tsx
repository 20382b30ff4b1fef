import { useId, useState } from 'react';
import { ASSERTION_KINDS, hasPath, labelOfKind, MAX_ASSERTIONS } from '#domain/judging/assertion';
import { describeWrong, FieldFrame } from '../forms/Field.tsx';
import { useField } from '../forms/Form.tsx';
import classes from '../forms/Form.module.css';
import { Button } from '../parts/Button.tsx';
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

/** §2.4. A row without a kind is no assertion. Without a script there are two such rows. */
export function AssertionsEditor() {
  const { error } = useField('assertions');
  const { list: kindsSent } = useField('assertion_kind');
  const paths = useField('assertion_path').list;
  const values = useField('assertion_value').list;
  // Kept when an answer brings the rows that were sent: input since then must stay.
  const [rows, setRows] = useState(() => {
    const given = kindsSent.map((kind, at) => {
      return { kind, path: paths[at] ?? '', value: values[at] ?? '' };
    });
    return given.filter(({ kind }) => kind !== '');
  });
  // An error names its assertion, counted from 1.
  const wrong = Number(/^Assertion (\d+):/.exec(error ?? '')?.[1] ?? 0);
  const wrongAt = kindsSent.flatMap((kind, at) => (kind === '' ? [] : at))[wrong - 1];
  return (
    <FieldFrame
      name="assertions"
      controlId={useId()}
      isGroup
      label="Success assertions"
      description="All must hold for a 2xx response to count as a success. Write expected values as JSON; plain text needs no quotes."
      error={error}
    >
      <div className={classes.editor}>
        {rows.map((row, at) => (
          <Row key={at} row={row} number={at + 1} isWrong={at === wrongAt} />
        ))}
        <noscript>
          <Row row={blank} number={rows.length + 1} isWrong={false} />
          <Row row={blank} number={rows.length + 2} isWrong={false} />
        </noscript>
        {rows.length < MAX_ASSERTIONS ? (
          <Button
            className="needs-script"
            variant="quiet"
            size="small"
            before={<Glyph name="plus" size={12} />}
            onClick={() => setRows([...rows, added])}
          >
            Add assertion
          </Button>
        ) : null}
      </div>
    </FieldFrame>
  );
}

type RowProps = { row: AssertionRow; number: number; isWrong: boolean };

function Row({ row, number, isWrong }: RowProps) {
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
    </div>
  );
}
