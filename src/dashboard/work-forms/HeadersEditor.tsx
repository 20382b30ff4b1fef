import { useEffect, useId, useRef, useState } from 'react';
import { describeControl, describeWrong, FieldFrame } from '../forms/Field.tsx';
import classes from '../forms/Form.module.css';
import { useShown, useField } from '../forms/Form.tsx';
import { Button, CrossButton } from '../parts/Button.tsx';
import { Glyph } from '../parts/Glyph.tsx';
import { readHeaderLines, writeHeaderLines, type HeaderPair } from './header-lines.ts';

/** One text field with a line per header; with a script a row per header. */
export function HeadersEditor() {
  const name = 'headers';
  const { value: defaultValue = '' } = useField(name);
  const { errors } = useShown();
  const id = useId();
  const [pairs, setPairs] = useState<HeaderPair[] | null>(null);
  const lines = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // It has input from before the script ran, and values that the browser restored.
    const text = lines.current?.value ?? '';
    setPairs([...readHeaderLines(text), { name: '', value: '' }]);
  }, []);
  const wrong = Object.entries(errors).filter(
    ([field]) => field === name || field.startsWith(`${name}.`),
  );
  const error = wrong.flatMap(([, texts]) => texts).join(' ') || undefined;
  // An error is under the header's name, or under `headers` with the name at its end.
  const isWrong = (pair: HeaderPair) =>
    pair.name !== '' &&
    wrong.some(
      ([field, texts]) =>
        field === `${name}.${pair.name}` || texts.some((text) => text.endsWith(` ${pair.name}.`)),
    );
  const words = {
    name,
    description:
      'Sent exactly as entered. Values of headers such as Authorization are masked after saving.',
    error,
  };
  return (
    <FieldFrame {...words} controlId={id} label="Headers" isGroup={pairs !== null}>
      {pairs === null ? (
        <textarea
          ref={lines}
          {...describeControl(id, words)}
          name={name}
          defaultValue={defaultValue}
          rows={3}
          spellCheck={false}
          placeholder="Authorization: Bearer …"
          className="control mono"
        />
      ) : (
        <>
          <input type="hidden" name={name} value={writeHeaderLines(pairs)} />
          <div className={classes.editor}>
            {pairs.map((pair, at) => (
              <div key={at} className={classes.header}>
                {(['name', 'value'] as const).map((part) => (
                  <input
                    key={part}
                    {...describeWrong(name, isWrong(pair))}
                    className="control mono"
                    aria-label={`Header ${at + 1} ${part}`}
                    placeholder={part === 'name' ? 'Name' : 'Value'}
                    value={pair[part]}
                    spellCheck={false}
                    autoComplete="off"
                    onChange={({ currentTarget: { value } }) =>
                      setPairs(pairs.with(at, { ...pair, [part]: value }))
                    }
                  />
                ))}
                <CrossButton
                  label={`Remove header ${at + 1}`}
                  onClick={() => setPairs(pairs.filter((_, index) => index !== at))}
                />
              </div>
            ))}
            <Button
              variant="quiet"
              size="small"
              before={<Glyph name="plus" size={12} />}
              onClick={() => setPairs([...pairs, { name: '', value: '' }])}
            >
              Add header
            </Button>
          </div>
        </>
      )}
    </FieldFrame>
  );
}
