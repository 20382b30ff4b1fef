import classes from './Skeleton.module.css';

/** Holds the place of lines that are on their way, in their final height, so that nothing jumps. */
export function Skeleton({ lines = 3, label = 'Loading' }: { lines?: number; label?: string }) {
  return (
    <div role="status" aria-label={label} className={classes.lines}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} style={{ width: `${92 - ((line * 37) % 45)}%` }} />
      ))}
    </div>
  );
}
