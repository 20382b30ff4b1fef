import { Link } from 'react-router';
import classes from './RangeLinks.module.css';
import type { Range } from './ranges.ts';

/** Chooses the time that plots show. @param current  null where the address asks for none of them */
export function RangeLinks({
  ranges,
  current,
}: {
  ranges: readonly Range[];
  current: Range | null;
}) {
  return (
    <nav className={classes.ranges} aria-label="Time range">
      {ranges.map(({ name, word }) => (
        <Link
          key={name}
          to={`?range=${name}`}
          aria-current={name === current?.name ? 'page' : undefined}
          preventScrollReset
        >
          {word}
        </Link>
      ))}
    </nav>
  );
}
