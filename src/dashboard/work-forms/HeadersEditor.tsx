import { Button } from '../parts/Button.tsx';
import { FieldFrame } from '../forms/FieldFrame.tsx';
import { useEffect, useId, useState } from 'react';
import type { FieldErrors } from '../services.ts';
import { Glyph } from '../parts/Glyph.tsx';
import { readHeaderLines, writeHeaderLines, type HeaderPair } from './header-lines.ts';
import classes from './HeadersEditor.module.css';

type HeadersEditorProps = {
  name: string;
  label: string;
  defaultValue: string;
  description?: string;
  errors?: FieldErrors | undefined;
};

/**
 * Names and values of headers. What is sent is always one text field with a line per header, which is
 * also what people get without a script; with one, they get a row per header.
 */
export function HeadersEditor({
  name,
  label,
  defaultValue,
  description,
  errors,
}: HeadersEditorProps) {
  const id = useId();
  const [pairs, setPairs] = useState<HeaderPair[] | null>(null);
  useEffect(
    () => setPairs([...readHeaderLines(defaultValue), { name: '', value: '' }]),
    [defaultValue],
  );
  const error = Object.entries(errors ?? {})
    .filter(([field]) => field === name || field.startsWith(`${name}.`))
    .flatMap(([, texts]) => texts)
    .join(' ');
  return (
    <FieldFrame
      name={name}
      controlId={id}
      label={label}
      description={description}
      error={error || undefined}
    >
      {pairs === null ? (
        <textarea
          id={id}
          name={name}
          defaultValue={defaultValue}
          rows={3}
          spellCheck={false}
          placeholder="Authorization: Bearer …"
          className={`control mono ${classes.lines}`}
        />
      ) : (
        <>
          <input type="hidden" name={name} value={writeHeaderLines(pairs)} />
          <HeaderRows id={id} pairs={pairs} onChange={setPairs} />
        </>
      )}
    </FieldFrame>
  );
}

function HeaderRows({
  id,
  pairs,
  onChange,
}: {
  id: string;
  pairs: HeaderPair[];
  onChange: (pairs: HeaderPair[]) => void;
}) {
  const change = (at: number, part: Partial<HeaderPair>) =>
    onChange(pairs.map((pair, index) => (index === at ? { ...pair, ...part } : pair)));
  return (
    <div className={classes.rows}>
      {pairs.map((pair, at) => (
        <div key={at} className={classes.row}>
          <input
            id={at === 0 ? id : undefined}
            className="control mono"
            aria-label={`Header ${at + 1} name`}
            placeholder="Name"
            value={pair.name}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => change(at, { name: event.currentTarget.value })}
          />
          <input
            className="control mono"
            aria-label={`Header ${at + 1} value`}
            placeholder="Value"
            value={pair.value}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => change(at, { value: event.currentTarget.value })}
          />
          <button
            type="button"
            aria-label={`Remove header ${at + 1}`}
            onClick={() => onChange(pairs.filter((_, index) => index !== at))}
          >
            <Glyph name="cross" size={14} />
          </button>
        </div>
      ))}
      <Button
        type="button"
        variant="quiet"
        size="small"
        before={<Glyph name="plus" size={12} />}
        onClick={() => onChange([...pairs, { name: '', value: '' }])}
      >
        Add header
      </Button>
    </div>
  );
}
