import { countOf } from '#domain/base/amounts';
import { CopyButton } from './CopyButton.tsx';
import { layOutJson } from './json-layout.ts';
import classes from './Code.module.css';

type JsonViewProps = {
  text: string;
  label: string;
  /** The rest can be opened (§2.5). */
  shownAtFirst?: number;
};

/** Always text. JSON is laid out without changing a digit. The stored text can be opened and copied. */
export function JsonView({ text, label, shownAtFirst = 2000 }: JsonViewProps) {
  if (text === '') return <p className="muted">Empty</p>;
  const start = cutAtCharacter(text, shownAtFirst);
  const isWhole = start.length === text.length;
  const tokens = isWhole ? layOutJson(text) : null;
  return (
    <div className={`${classes.block} ${classes.body}`}>
      <CopyButton text={text} label={`Copy ${label}`}>
        Copy
      </CopyButton>
      <pre aria-label={label} tabIndex={0}>
        {tokens
          ? tokens.map((token, at) =>
              token.kind === 'mark' ? (
                token.text
              ) : (
                <span key={at} data-kind={token.kind}>
                  {token.text}
                </span>
              ),
            )
          : start}
      </pre>
      {isWhole ? null : (
        <details>
          <summary>Show the other {countOf(text.length - start.length, 'character')}</summary>
          <pre tabIndex={0} aria-label={`${label}, the rest`}>
            {text.slice(start.length)}
          </pre>
        </details>
      )}
      {tokens && tokens.map((token) => token.text).join('') !== text ? (
        <details>
          <summary>As stored</summary>
          <pre tabIndex={0} aria-label={`${label}, as stored`}>
            {text}
          </pre>
        </details>
      ) : null}
    </div>
  );
}

/** Without splitting a surrogate pair. */
function cutAtCharacter(text: string, length: number): string {
  if (text.length <= length) return text;
  const isHalf = /[\uD800-\uDBFF]/.test(text[length - 1] ?? '');
  return text.slice(0, isHalf ? length - 1 : length);
}
