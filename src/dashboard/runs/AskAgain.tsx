import { useEffect, useRef } from 'react';
import { Link, useActionData, useLocation } from 'react-router';
import { describeRate } from '#domain/team/rate';
import { PlainField } from '../forms/Field.tsx';
import { Form } from '../forms/Form.tsx';
import { useAnswer } from '../page/shell.ts';
import { Button, Submit } from '../parts/Button.tsx';
import { Notice } from '../parts/Notice.tsx';
import { Time } from '../parts/Time.tsx';
import type { BulkQuestion } from '../services.ts';
import { countOf, formatAmount, isOne } from '../words/amounts.ts';
import type { AskedAgain } from './job-actions.ts';

/** What the page's action asks: for resent jobs (§3.3), or when the last of a spread is due. */
export function AskAgain() {
  const answer = useAnswer(useActionData<{ asks: AskedAgain }>());
  return answer ? <Question {...answer.asks} /> : null;
}

function Question({ question, fields }: AskedAgain) {
  const { spread, total, resent } = question;
  const title = titleOf(question);
  const others = total.count - (resent?.count ?? 0);
  const { pathname, search } = useLocation();
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    document.querySelector<HTMLElement>('[popover]:popover-open')?.hidePopover();
    box.current?.focus();
  }, [question]);
  return (
    <section ref={box} className="notices" role="alertdialog" tabIndex={-1} aria-label={title}>
      <Notice kind="warning" title={title}>
        <p>{consequencesOf(question)}</p>
        {spread === null ? null : (
          <p>
            At {describeRate(spread.rate)}, the last{' '}
            {total.isMore ? 'is due later than' : 'is due at'} <Time at={spread.endsAt} exact />
            {total.isMore ? '; those due more than 24 hours from now are left unchanged' : ''}.
          </p>
        )}
        <Form className="row">
          {[['intent', question.kind], ...fields].map(([name = '', value], at) => (
            <input key={at} type="hidden" name={name} value={value} />
          ))}
          <Link to={pathname + search}>Cancel</Link>
          {resent === null ? (
            <Submit variant="filled">{`Retry (${formatAmount(total)})`}</Submit>
          ) : (
            <Button type="submit" name="resent" value="again" variant="danger">
              {isOne(total) ? 'Retry again' : `Retry all ${formatAmount(total)} again`}
            </Button>
          )}
          {/* Resent jobs can be left out, if others remain. */}
          {resent !== null && others > 0 && !total.isMore ? (
            <Button type="submit" name="resent" value="leave">
              {`Retry the ${isOne(others) ? 'other' : `other ${formatAmount(others)}`}`}
            </Button>
          ) : null}
        </Form>
      </Notice>
    </section>
  );
}

function titleOf({ total, resent }: BulkQuestion): string {
  if (resent === null) return `Retry ${countOf(total, 'job', 'jobs')}?`;
  if (isOne(total)) return 'This job was resent before. Send it again?';
  return `${formatAmount(resent.count)} of ${countOf(total, 'job', 'jobs')} ${isOne(resent.count) ? 'was' : 'were'} resent before. Send ${isOne(resent.count) ? 'it' : 'them'} again?`;
}

function consequencesOf({ resent }: BulkQuestion): string {
  if (resent !== null) {
    const outcomes = [
      [resent.succeeded, 'succeeded'],
      [resent.failed, 'failed again'],
      [resent.underWay, isOne(resent.underWay) ? 'is under way' : 'are under way'],
      [resent.gone, isOne(resent.gone) ? 'is no longer here' : 'are no longer here'],
    ] as const;
    const said = outcomes.filter(([count]) => count > 0);
    const list = said.map(([count, word]) => `${formatAmount(count)} ${word}`).join(', ');
    return `Their outcomes: ${list}. Retry sends the same request once more, even if it has succeeded meanwhile.`;
  }
  return 'They come due one after the other.';
}

export function SpreadField() {
  return (
    <PlainField
      name="rate"
      label="Spread at a rate"
      description="Such as 10/second, 100/minute or 500/hour; the next page shows when the last is sent. Empty: all at once."
      placeholder="all at once"
    />
  );
}
