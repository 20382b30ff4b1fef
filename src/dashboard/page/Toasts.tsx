import { useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { addressOf } from '../address.ts';
import { takeExpectedToast } from '../connection/keep-page.ts';
import type { Toast } from '../serving/cookies.ts';
import { CrossButton } from '../parts/Button.tsx';
import { Glyph } from '../parts/Glyph.tsx';
import classes from './Toasts.module.css';

const tones = { done: 'teal', failed: 'red', note: 'slate' };

/** Without a script too; with one it stays until it is closed or, unless it is about a failure, another page opens. */
export function Toasts({ toast }: { toast: Toast | null }) {
  const { key: place } = useLocation();
  const [shown, setShown] = useState<Toast | null>(toast);
  const placeBefore = useRef(place);
  useEffect(() => {
    // It stays during a refresh.
    if (placeBefore.current === place) return;
    placeBefore.current = place;
    if (takeExpectedToast() && toast !== null) setShown(toast);
    else setShown((before) => (before?.kind === 'failed' ? before : null));
  }, [place, toast]);
  useEffect(() => {
    if (shown?.key === undefined) return;
    const said = addressOf(`/connection?said=${encodeURIComponent(shown.key)}`);
    fetch(said).catch(() => undefined);
  }, [shown?.key]);
  return (
    <div role="status" aria-live="polite" className={classes.corner}>
      {shown ? (
        <div key={shown.key} className={classes.toast} data-tone={tones[shown.kind]}>
          <Glyph name={shown.kind === 'failed' ? 'failed' : 'check'} size={14} />
          <span>
            {shown.text} {shown.href ? <Link to={shown.href}>{shown.linkText}</Link> : null}
          </span>
          <CrossButton label="Close message" onClick={() => setShown(null)} />
        </div>
      ) : null}
    </div>
  );
}
