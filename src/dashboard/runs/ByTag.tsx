import { Link } from 'react-router';
import type { TagCounts } from '../services.ts';
import { countOf } from '../words/amounts.ts';
import classes from './ByTag.module.css';

/** How many tags are shown. Further ones are in the lists' own filters. */
const mostShown = 20;

/** How many crons and queues of each tag are failing, healthy and paused; nothing where nothing has tags. */
export function ByTag({ tags }: { tags: readonly TagCounts[] }) {
  if (tags.length === 0) return null;
  const more = tags.length - mostShown;
  return (
    <section className="panel">
      <header>
        <h2>By tag</h2>
      </header>
      <ul className={classes.rows}>
        {tags.slice(0, mostShown).map(({ tag, crons, queues }) => (
          <li key={tag}>
            <b>{tag}</b>
            <Counts
              to={`/crons?tag=${encodeURIComponent(tag)}`}
              failed="failed"
              words={['cron', 'crons']}
              counts={crons}
            />
            <Counts
              to={`/queues?tag=${encodeURIComponent(tag)}`}
              failed="failing"
              words={['queue', 'queues']}
              counts={queues}
            />
          </li>
        ))}
      </ul>
      {more > 0 ? (
        <p className={classes.more}>
          {countOf(more, 'more tag', 'more tags')}, none with more that fails: choose it in the list
          of crons or queues.
        </p>
      ) : null}
    </section>
  );
}

type CountsProps = {
  to: string;
  /** The value of the list's filter for those that fail. */
  failed: string;
  words: readonly [one: string, many: string];
  counts: TagCounts['crons'];
};

function Counts({ to, failed, words: [one, many], counts }: CountsProps) {
  const { failing, healthy, paused } = counts;
  const parts = [
    { count: failing, status: failed, word: 'failing' },
    { count: healthy, status: 'healthy', word: 'healthy' },
    { count: paused, status: 'paused', word: 'paused' },
  ].filter(({ count }) => count > 0);
  return (
    <span className={classes.counts}>
      {parts.map(({ count, status, word }) => (
        <Link
          key={word}
          to={`${to}&status=${status}`}
          {...(word === 'failing' ? { 'data-failing': '' } : {})}
        >
          {countOf(count, one, many)} {word}
        </Link>
      ))}
    </span>
  );
}
