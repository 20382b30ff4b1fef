import { useEffect, useRef, type ReactNode } from 'react';
import { Link } from 'react-router';
import { FAILURE_TEXTS } from '#domain/judging/failure';
import { formatMilliseconds } from '#domain/base/duration-words';
import { Notice } from '../parts/Notice.tsx';
import { isUnsent } from './reasons.ts';
import { FailureNotice, RunPanels } from './RunParts.tsx';
import type { ShownTest } from './run-text.ts';

type FormOutcomeProps = {
  label: string;
  of: unknown;
  block?: 'start' | 'center';
  children: ReactNode;
};

/** Below a form. It may be outside the visible part. */
export function FormOutcome({ label, of, block = 'start', children }: FormOutcomeProps) {
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    ref.current?.focus({ preventScroll: true });
    // Newer browsers return a promise from a scroll; an effect may return only a function.
    ref.current?.scrollIntoView({ block });
  }, [of, block]);
  return (
    <section
      ref={ref}
      className="stack"
      aria-label={label}
      tabIndex={-1}
      style={{ padding: '8px 0 16px', outline: 'none' }}
    >
      {children}
    </section>
  );
}

export function TestOutcome({ outcome }: { outcome: ShownTest }) {
  return (
    <FormOutcome label="Test run" of={outcome}>
      <OutcomeWords outcome={outcome} />
      {outcome.kind === 'test' ? (
        <RunPanels
          run={outcome}
          durationMs={outcome.durationMs}
          isSent={!isUnsent(outcome.reason, outcome.timing)}
        />
      ) : null}
    </FormOutcome>
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
    return <FailureNotice explanation={outcome.explanation} response={outcome.response} />;
  return (
    <Notice kind="done" title={`Test run: success, HTTP ${outcome.responseStatus}`}>
      {`Answered in ${formatMilliseconds(outcome.durationMs)}. It counts toward the monthly limit and is not kept in the history.`}
    </Notice>
  );
}
