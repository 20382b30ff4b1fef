import { countOf } from '#domain/base/amounts';
import classes from './UsageBar.module.css';

type UsageBarProps = { used: number; limit: number | null; label: string };

export function UsageBar({ used, limit, label }: UsageBarProps) {
  const share = limit === null ? 0 : limit === 0 ? 1 : used / limit;
  const tone = share >= 1 ? 'red' : share >= 0.8 ? 'orange' : undefined;
  const words =
    limit === null
      ? `${countOf(used, 'run')}, no limit`
      : `${used.toLocaleString('en')} of ${limit.toLocaleString('en')} runs`;
  return (
    <span className={classes.usage} data-tone={tone}>
      {limit === null ? null : (
        <span
          className={classes.track}
          role="meter"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(used, limit)}
          aria-valuetext={words}
        >
          <span style={{ width: `${Math.min(100, share * 100)}%` }} />
        </span>
      )}
      <span className="num">{words}</span>
    </span>
  );
}
