import type { ReactNode } from 'react';

/**
 * All the small drawings of the dashboard, 16 by 16 in the colour of the text. Decoration only: the
 * word beside a glyph carries the meaning, so they are hidden from assistive technology.
 */
export type GlyphName = keyof typeof drawings;

const stroke = {
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 1.5,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const;

const drawings = {
  bell: (
    <>
      <path
        {...stroke}
        d="M8 1.6v1.2M3.1 11.9c1.1-1 1.4-2.3 1.4-4.3C4.5 5 5.9 2.9 8 2.9s3.5 2.1 3.5 4.7c0 2 .3 3.3 1.4 4.3z"
      />
      <path d="M6.5 13.2a1.55 1.55 0 0 0 3 0z" fill="currentColor" />
    </>
  ),
  overview: <path {...stroke} d="M2 9.5h3l1.7-5 2.7 8 1.8-3H14" />,
  crons: (
    <g {...stroke}>
      <circle cx="8" cy="8" r="5.7" />
      <path d="M8 4.7V8l2.2 1.5" />
    </g>
  ),
  more: (
    <g fill="currentColor">
      <circle cx="3.5" cy="8" r="1.3" />
      <circle cx="8" cy="8" r="1.3" />
      <circle cx="12.5" cy="8" r="1.3" />
    </g>
  ),
  queues: <path {...stroke} d="M2.5 4h11M2.5 8h11M2.5 12h6.5" />,
  jobs: <path {...stroke} d="M3 2.8h10v10.4H3zM5.6 6h4.8M5.6 9.2h3" />,
  runs: (
    <g {...stroke}>
      <path d="M6.5 4H14M6.5 8H14M6.5 12H14" />
      <path d="M2.3 4h1M2.3 8h1M2.3 12h1" />
    </g>
  ),
  failures: (
    <g {...stroke}>
      <path d="M8 2.3 14.2 13H1.8zM8 6.5v3" />
      <path d="M8 11.2v.1" />
    </g>
  ),
  alerts: (
    <g {...stroke}>
      <path d="M3.4 11.3c1-.9 1.3-2.1 1.3-3.9C4.7 4.9 6 3 8 3s3.3 1.9 3.3 4.4c0 1.8.3 3 1.3 3.9zM6.7 13.5h2.6" />
    </g>
  ),
  maintenance: <path {...stroke} d="M13 9.6A5.4 5.4 0 1 1 6.6 3a4.3 4.3 0 0 0 6.4 6.6z" />,
  settings: (
    <g {...stroke}>
      <path d="M2.3 4.8h7M12.2 4.8h1.5M2.3 11.2h1.5M6.7 11.2h7" />
      <circle cx="10.7" cy="4.8" r="1.5" />
      <circle cx="5.3" cy="11.2" r="1.5" />
    </g>
  ),
  search: (
    <g {...stroke}>
      <circle cx="7" cy="7" r="4.3" />
      <path d="m10.3 10.3 3.2 3.2" />
    </g>
  ),
  person: (
    <g {...stroke}>
      <circle cx="8" cy="5.4" r="2.6" />
      <path d="M3 13.4c.5-2.6 2.4-3.9 5-3.9s4.5 1.3 5 3.9" />
    </g>
  ),
  sun: (
    <g {...stroke}>
      <circle cx="8" cy="8" r="2.7" />
      <path d="M8 1.7v1.5M8 12.8v1.5M1.7 8h1.5M12.8 8h1.5M3.5 3.5l1.1 1.1M11.4 11.4l1.1 1.1M3.5 12.5l1.1-1.1M11.4 4.6l1.1-1.1" />
    </g>
  ),
  menu: <path {...stroke} d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11" />,
  down: <path {...stroke} d="m4.5 6.5 3.5 3.5 3.5-3.5" />,
  right: <path {...stroke} d="m6.5 4.5 3.5 3.5-3.5 3.5" />,
  left: <path {...stroke} d="M9.5 4.5 6 8l3.5 3.5" />,
  copy: <path {...stroke} d="M5.5 5.5h7.7v7.7H5.5zM3.3 10.5h-.5V2.8h7.7v.5" />,
  check: <path {...stroke} d="m3.2 8.4 3.2 3.2 6.4-7" />,
  cross: <path {...stroke} d="m4 4 8 8M12 4l-8 8" />,
  plus: <path {...stroke} d="M8 3v10M3 8h10" />,
  eye: (
    <g {...stroke}>
      <path d="M1.8 8S4 3.9 8 3.9 14.2 8 14.2 8 12 12.1 8 12.1 1.8 8 1.8 8z" />
      <circle cx="8" cy="8" r="1.9" />
    </g>
  ),
  'eye-off': (
    <path
      {...stroke}
      d="m3 2.6 10 10.8M9.4 9.3a1.9 1.9 0 0 1-2.7-2.7M4.7 4.6C2.7 5.8 1.8 8 1.8 8S4 12.1 8 12.1c1.2 0 2.2-.3 3-.8M7 4c.3-.1.7-.1 1-.1 4 0 6.2 4.1 6.2 4.1s-.5 1-1.4 2"
    />
  ),
  success: <circle cx="8" cy="8" r="4.6" fill="currentColor" />,
  failed: <path {...stroke} strokeWidth={2.2} d="m4.2 4.2 7.6 7.6M11.8 4.2l-7.6 7.6" />,
  retrying: (
    <g {...stroke} strokeWidth={1.8}>
      <path d="M12.6 8a4.6 4.6 0 1 1-1.4-3.3" />
      <path d="M12.7 2.3v2.8H9.9" />
    </g>
  ),
  processing: (
    <>
      <circle cx="8" cy="8" r="4.6" {...stroke} strokeWidth={1.8} />
      <path d="M8 3.4a4.6 4.6 0 0 0 0 9.2z" fill="currentColor" />
    </>
  ),
  pending: <circle cx="8" cy="8" r="4.4" {...stroke} strokeWidth={1.8} />,
  paused: <path {...stroke} strokeWidth={2.2} d="M5.6 4v8M10.4 4v8" />,
  muted: <path d="M13 9.6A5.4 5.4 0 1 1 6.6 3a4.3 4.3 0 0 0 6.4 6.6z" fill="currentColor" />,
} satisfies Record<string, ReactNode>;

export function Glyph({ name, size = 16 }: { name: GlyphName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
      focusable="false"
      style={{ flex: 'none' }}
    >
      {drawings[name]}
    </svg>
  );
}
