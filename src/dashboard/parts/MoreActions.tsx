import { useId, type ReactNode } from 'react';
import { useMaySend } from '../page/may-change.ts';
import { Glyph } from './Glyph.tsx';
import { InMenu, useClosedByAnswer } from './closed-by-answer.ts';
import classes from './MoreActions.module.css';

/**
 * A button with rare or destructive actions, at the end of a row or of a page's head, away from the buttons in
 * frequent use. It is the browser's own popover, so it works without a script and no table clips it.
 */
export function MoreActions({
  of,
  isSmall = false,
  children,
}: {
  /** The target of the actions, for screen readers. */
  of: string;
  /** For the row of a table. */
  isSmall?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  const ref = useClosedByAnswer();
  if (!useMaySend()) return null;
  return (
    <>
      <button
        type="button"
        className={classes.button}
        data-small={isSmall || undefined}
        popoverTarget={id}
        aria-label={`More actions: ${of}`}
        title="More actions"
      >
        <Glyph name="more" />
      </button>
      <div ref={ref} id={id} popover="auto" className={classes.sheet}>
        <InMenu value={id}>{children}</InMenu>
      </div>
    </>
  );
}
