import { Button } from '../parts/Button.tsx';
import { FieldFrame } from '../forms/FieldFrame.tsx';
import { ASSERTION_KINDS, hasPath, labelOfKind, MAX_ASSERTIONS } from '#domain/assertion';
import { useEffect, useState } from 'react';
import { Glyph } from '../parts/Glyph.tsx';
import type { FieldErrors } from '../services.ts';
import classes from '../forms/Form.module.css';
import type { AssertionRow } from './form-values.ts';

const kinds = [
  { value: '', text: 'None', hasPath: false } as const,
  ...ASSERTION_KINDS.map((value) => {
    return { value, text: labelOfKind(value), hasPath: hasPath(value) };
  }),
];

const blank: AssertionRow = { kind: '', path: '', value: '' };

/**
 * The assertions that a 2xx response must pass to count as a success (§2.4). There is a row for each; a row of kind
 * "None" is ignored. Without a script there are always two empty rows.
 */
export function AssertionsEditor({
  rows,
  errors,
}: {
  rows: readonly AssertionRow[];
  errors?: FieldErrors | undefined;
}) {
  const [hasScript, setScript] = useState(false);
  const [list, setList] = useState<{ key: number; row: AssertionRow }[]>(() =>
    [...rows, blank, blank].map((row, key) => ({ key, row })),
  );
  // Compared as text: a refresh brings the same rows again, and what was typed over them must stay.
  const given = JSON.stringify(rows);
  useEffect(() => {
    setScript(true);
    const fresh = JSON.parse(given) as readonly AssertionRow[];
    setList(fresh.map((row, key) => ({ key, row })));
  }, [given]);
  const error = errors?.['assertions']?.join(' ');
  return (
    <FieldFrame
      name="assertions"
      label="Success assertions"
      description="All must hold for a 2xx response to count as a success. Expected values are written as JSON writes them; plain text needs no quotes."
      error={error}
    >
      <div className={classes.assertions}>
        {list.map(({ key, row }, at) => (
          <Row
            key={key}
            row={row}
            number={at + 1}
            onRemove={
              hasScript ? () => setList(list.filter((other) => other.key !== key)) : undefined
            }
          />
        ))}
        {hasScript && list.length < MAX_ASSERTIONS ? (
          <Button
            type="button"
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

function Row({
  row,
  number,
  onRemove,
}: {
  row: AssertionRow;
  number: number;
  onRemove: (() => void) | undefined;
}) {
  return (
    <div className={classes.assertion}>
      <select
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
        className="control mono"
        name="assertion_path"
        aria-label={`Assertion ${number}, JSON path`}
        placeholder="data.items[0].id"
        defaultValue={row.path}
        spellCheck={false}
        autoComplete="off"
      />
      <input
        className="control mono"
        name="assertion_value"
        aria-label={`Assertion ${number}, expected`}
        placeholder="Expected"
        defaultValue={row.value}
        spellCheck={false}
        autoComplete="off"
      />
      {onRemove ? (
        <button type="button" aria-label={`Remove assertion ${number}`} onClick={onRemove}>
          <Glyph name="cross" size={14} />
        </button>
      ) : null}
    </div>
  );
}
