import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { FAILURE_TEXTS } from '#domain/failure';
import { formatMilliseconds } from '#domain/duration-words';
import { Notice } from '../parts/Notice.tsx';
import { isUnsent } from './reasons.ts';
import { FailureNotice, RunPanels } from './RunParts.tsx';
import type { ShownTest } from './run-text.ts';

/** The outcome of a test run, which is not stored. */
export function TestOutcome({ outcome }: { outcome: ShownTest }) {
  const ref = useRef<HTMLElement>(null);
  // Its first line is the verdict, and may be outside the visible part.
  useEffect(() => {
    ref.current?.focus({ preventScroll: true });
    // Newer browsers return a promise from a scroll; an effect may return only a function.
    ref.current?.scrollIntoView({ block: 'start' });
  }, [outcome]);
  return (
    <section
      ref={ref}
      className="stack"
      aria-label="Test run"
      tabIndex={-1}
      style={{ padding: '8px 0 16px', outline: 'none' }}
    >
      <OutcomeWords outcome={outcome} />
      {outcome.kind === 'test' ? (
        <RunPanels
          run={outcome}
          durationMs={outcome.durationMs}
          isSent={!isUnsent(outcome.reason)}
          secretsShown={null}
          wholeBody={null}
          textsAt={null}
        />
      ) : null}
    </section>
  );
}

function OutcomeWords({ outcome }: { outcome: ShownTest }) {
  if (outcome.kind === 'limit-reached') {
    return (
      <Notice kind="failed" title={FAILURE_TEXTS.limitReached}>
        Nothing was sent, because test runs also count toward the monthly limit.{' '}
        <Link to="/settings/billing">Billing</Link> shows the usage.
      </Notice>
    );
  }
  if (outcome.kind === 'busy') {
    return (
      <Notice kind="warning" title="Other test runs are under way">
        Nothing was sent. Wait until they end and try again.
      </Notice>
    );
  }
  if (outcome.status === 'failed' && outcome.explanation)
    return (
      <FailureNotice explanation={outcome.explanation} response={outcome.response} editTo={null} />
    );
  return (
    <Notice kind="done" title={`Test run: success, HTTP ${outcome.responseStatus}`}>
      {`Answered in ${formatMilliseconds(outcome.durationMs)}. It counts toward the monthly limit and is not kept in the history.`}
    </Notice>
  );
}
