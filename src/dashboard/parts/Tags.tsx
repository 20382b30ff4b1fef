import { Link } from 'react-router';
import classes from './Tags.module.css';

type TagsProps = {
  tags: readonly string[];
  of: 'crons' | 'queues';
  /** For rows. */
  most?: number;
};

export function Tags({ tags, of, most }: TagsProps) {
  if (tags.length === 0) return null;
  const shown = tags.slice(0, most);
  const rest = tags.slice(shown.length);
  return (
    <ul
      className={classes.tags}
      aria-label="Tags"
      {...(most === undefined ? {} : { 'data-line': '' })}
    >
      {shown.map((tag) => (
        <li key={tag}>
          <Link className={classes.tag} to={`/${of}?tag=${encodeURIComponent(tag)}`} title={tag}>
            {tag}
          </Link>
        </li>
      ))}
      {rest.length === 0 ? null : (
        <li>
          <span className={classes.tag} title={rest.join(', ')}>
            +{rest.length}
          </span>
        </li>
      )}
    </ul>
  );
}
