import { type ReactNode, useState } from 'react';
import classes from './Field.module.css';

/** The share of the limit from which on the count is shown. */
const shownFrom = 0.8;

/**
 * Wraps an input that has a limit. It shows the count once that is near the limit, and says when a paste was cut.
 * Without scripts the browser enforces the limit, and the description names it.
 */
export function FieldCount({
  most,
  startLength,
  children,
}: {
  most: number;
  startLength: number;
  children: ReactNode;
}) {
  const [length, setLength] = useState(startLength);
  const [isCut, setCut] = useState(false);
  const measure = (event: { target: EventTarget }) => {
    if (event.target instanceof HTMLInputElement) setLength(event.target.value.length);
  };
  return (
    <div
      onInput={measure}
      onBeforeInput={() => setCut(false)}
      onPaste={(event) => {
        const { target } = event;
        if (!(target instanceof HTMLInputElement)) return;
        const chosen = (target.selectionEnd ?? 0) - (target.selectionStart ?? 0);
        const pasted = event.clipboardData.getData('text').length;
        setCut(target.value.length - chosen + pasted > most);
      }}
    >
      {children}
      <p className={classes.count} role="status" data-full={isCut || length > most || undefined}>
        {isCut
          ? `What you pasted was longer: its end was cut at ${most.toLocaleString('en')} characters.`
          : length >= most * shownFrom
            ? `${length.toLocaleString('en')} of ${most.toLocaleString('en')} characters`
            : null}
      </p>
    </div>
  );
}
