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
const added: AssertionRow = { ...blank, kind: 'json_path_equals' };

/** §2.4. Without a script there are two empty rows. */
export function AssertionsEditor() {
  const { error } = useField('assertions');
  const paths = useField('assertion_path').list;
  const values = useField('assertion_value').list;
  const kinds = useField('assertion_kind').list;
  const stored = kinds
    .map((kind, at) => ({ kind, path: paths[at] ?? '', value: values[at] ?? '' }))
    .filter(({ kind }) => kind !== '');
  return (
    <FieldFrame
      name="assertions"
      controlId={useId()}
      isGroup
      label="Success assertions"
      description="All must hold for a 2xx response to count as a success. Write expected values as JSON; plain text needs no quotes."
      error={error}
    >
      {/* A refresh brings the same rows; input must stay. */}
      <Rows key={JSON.stringify(stored)} stored={stored} error={error} />
    </FieldFrame>
  );
}

type RowsProps = { stored: readonly AssertionRow[]; error: string | undefined };

function Rows({ stored, error }: RowsProps) {
  const ref = useRef<HTMLDivElement>(null);
  const [hasScript, setScript] = useState(false);
  /** Of the stored rows their places, then further numbers. */
  const [keys, setKeys] = useState(() => [...stored, blank, blank].map((_, key) => key));
  useEffect(() => {
    setScript(true);
    // A kind chosen before the script ran stays.
    const kinds = ref.current?.querySelectorAll('select');
    setKeys((before) => before.filter((key) => kinds?.[key]?.value));
  }, []);
  // An error names its row: counted from 1, while keys begin at 0.
  const wrongRow = Number(/^Assertion (\d+):/.exec(error ?? '')?.[1] ?? 0);
  return (
    <div className={classes.editor} ref={ref}>
      {keys.map((key, at) => (
        <Row
          key={key}
          row={stored[key] ?? (hasScript ? added : blank)}
          number={at + 1}
          isWrong={key + 1 === wrongRow}
          onRemove={hasScript ? () => setKeys(keys.filter((other) => other !== key)) : undefined}
        />
      ))}
      {hasScript && keys.length < MAX_ASSERTIONS ? (
        <Button
          variant="quiet"
          size="small"
          before={<Glyph name="plus" size={12} />}
          onClick={() => setKeys([...keys, Math.max(stored.length - 1, ...keys) + 1])}
        >
          Add assertion
        </Button>
      ) : null}
    </div>
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
