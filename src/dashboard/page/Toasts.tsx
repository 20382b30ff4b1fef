import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import type { Toast } from '../serving/cookies.ts';
import { Glyph } from '../parts/Glyph.tsx';
import classes from './Toasts.module.css';

/**
 * Says what was just done. The server puts the message into the page, so it is there without a script
 * too; with one it can be closed, and goes by itself unless it tells of a failure.
 */
export function Toasts({ toast }: { toast: Toast | null }) {
  const [shown, setShown] = useState<Toast | null>(toast);
  const [latest, setLatest] = useState(toast);
  // A reload in place brings null: what is shown stays until it is closed or its time is up.
  if (toast !== null && toast.key !== latest?.key) {
    setLatest(toast);
    setShown(toast);
  }
  useEffect(() => {
    if (shown === null || shown.kind === 'failed') return;
    const timer = setTimeout(() => setShown(null), 8000);
    return () => clearTimeout(timer);
  }, [shown]);
  return (
    <div role="status" aria-live="polite" className={classes.corner}>
      {shown ? (
        <div key={shown.key} className={classes.toast} data-kind={shown.kind}>
          <Glyph name={shown.kind === 'failed' ? 'failed' : 'check'} size={14} />
          <span>
            {shown.text} {shown.href ? <Link to={shown.href}>{shown.linkText}</Link> : null}
          </span>
          <button
            type="button"
            className="needs-script"
            aria-label="Close message"
            onClick={() => setShown(null)}
          >
            <Glyph name="cross" size={14} />
          </button>
        </div>
      ) : null}
    </div>
  );
}
