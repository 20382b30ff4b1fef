import { useHref } from 'react-router';
import sprite from './glyphs.svg';

export type GlyphName =
  | 'bell'
  | 'overview'
  | 'crons'
  | 'more'
  | 'queues'
  | 'jobs'
  | 'runs'
  | 'failures'
  | 'alerts'
  | 'maintenance'
  | 'settings'
  | 'search'
  | 'person'
  | 'sun'
  | 'menu'
  | 'down'
  | 'right'
  | 'left'
  | 'copy'
  | 'check'
  | 'cross'
  | 'plus'
  | 'eye'
  | 'eye-off'
  | 'success'
  | 'failed'
  | 'retrying'
  | 'processing'
  | 'pending'
  | 'paused'
  | 'muted';

/** Decoration only: the word next to it has the meaning. */
export function Glyph({ name, size = 16 }: { name: GlyphName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      style={{ flex: 'none' }}
    >
      <use href={`${useHref(sprite)}#${name}`} />
    </svg>
  );
}
