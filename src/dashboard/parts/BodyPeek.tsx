import { useId } from 'react';
import { Link } from 'react-router';
import classes from './BodyPeek.module.css';

/**
 * The beginning of a response in a row of a table: one line there, the first 2,000 characters in the
 * browser's own popover (§2.5), the rest on the run's page. Always text.
 */
export function BodyPeek({
  text,
  hasMore,
  restTo,
}: {
  text: string;
  hasMore: boolean;
  restTo: string;
}) {
  const id = useId();
  if (text === '') return <span className="muted">Empty</span>;
  return (
    <>
      <button type="button" className={classes.line} popoverTarget={id} title="Show the response">
        {text.slice(0, 120)}
      </button>
      <div id={id} popover="auto" role="dialog" aria-label="Response" className={classes.peek}>
        <pre tabIndex={0}>{text}</pre>
        {hasMore ? <Link to={restTo}>Show the rest</Link> : null}
      </div>
    </>
  );
}
