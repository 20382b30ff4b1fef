import { Link } from 'react-router';

/** How a run ended, in a list: words, with the target's message as a tip, and a link to the job that a retry made. */
export function Outcome({
  run: { errorMessage, retriedAs },
  words,
}: {
  run: { errorMessage: string | null; retriedAs: string | null };
  words: string;
}) {
  return (
    <span title={errorMessage ?? undefined}>
      {words}
      {retriedAs ? (
        <>
          {', '}
          <Link to={`/jobs/${retriedAs}`}>resent</Link>
        </>
      ) : null}
    </span>
  );
}
