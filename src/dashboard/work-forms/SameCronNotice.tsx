import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { Button } from '../parts/Button.tsx';
import { Notice } from '../parts/Notice.tsx';
import type { SameCron } from '../services.ts';

/** The member has seen this cron and saves anyway. */
export const sameAsField = 'same_as';

export function SameCronNotice({ same }: { same: SameCron }) {
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    ref.current?.focus({ preventScroll: true });
    // Newer browsers return a promise from a scroll; an effect may return only a function.
    ref.current?.scrollIntoView({ block: 'center' });
  }, [same]);
  return (
    <section
      ref={ref}
      aria-label="Another cron does the same"
      tabIndex={-1}
      style={{ padding: '8px 0 16px', outline: 'none' }}
    >
      <Notice kind="warning" title="Another cron does the same">
        <p>
          <Link to={`/crons/${same.id}`}>{same.name}</Link> already calls this URL on this schedule,
          so the URL would be called twice each time. Nothing is saved yet.
        </p>
        <Button type="submit" name={sameAsField} value={same.id} variant="default">
          Save anyway
        </Button>
      </Notice>
    </section>
  );
}
