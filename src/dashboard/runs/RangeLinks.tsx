import { Link } from 'react-router';
import classes from './RangeLinks.module.css';
import type { Range } from './ranges.ts';

/** Links that choose the period that plots show. @param current  null if the address asks for none of the ranges */
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
