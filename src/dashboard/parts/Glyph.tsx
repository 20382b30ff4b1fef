const circle = (x: number, y: number, r: number) =>
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
const moon = 'M13 9.6A5.4 5.4 0 1 1 6.6 3a4.3 4.3 0 0 0 6.4 6.6z';

type Drawing = {
  /** A path that is drawn, and how thick. */
  line?: string;
  width?: number;
  /** A path that is filled. */
  fill?: string;
};

/**
 * All the small drawings of the dashboard, 16 by 16 in the colour of the text. Decoration only: the word next to a
 * glyph has the meaning, so they are hidden from assistive technology.
 */
const drawings = {
  bell: {
    line: 'M8 1.6v1.2M3.1 11.9c1.1-1 1.4-2.3 1.4-4.3C4.5 5 5.9 2.9 8 2.9s3.5 2.1 3.5 4.7c0 2 .3 3.3 1.4 4.3z',
    fill: 'M6.5 13.2a1.55 1.55 0 0 0 3 0z',
  },
  overview: { line: 'M2 9.5h3l1.7-5 2.7 8 1.8-3H14' },
  crons: { line: `${circle(8, 8, 5.7)}M8 4.7V8l2.2 1.5` },
  more: { fill: circle(3.5, 8, 1.3) + circle(8, 8, 1.3) + circle(12.5, 8, 1.3) },
  queues: { line: 'M2.5 4h11M2.5 8h11M2.5 12h6.5' },
  jobs: { line: 'M3 2.8h10v10.4H3zM5.6 6h4.8M5.6 9.2h3' },
  runs: { line: 'M6.5 4H14M6.5 8H14M6.5 12H14M2.3 4h1M2.3 8h1M2.3 12h1' },
  failures: { line: 'M8 2.3 14.2 13H1.8zM8 6.5v3M8 11.2v.1' },
  alerts: {
    line: 'M3.4 11.3c1-.9 1.3-2.1 1.3-3.9C4.7 4.9 6 3 8 3s3.3 1.9 3.3 4.4c0 1.8.3 3 1.3 3.9zM6.7 13.5h2.6',
  },
  maintenance: { line: moon },
  settings: {
    line: `M2.3 4.8h7M12.2 4.8h1.5M2.3 11.2h1.5M6.7 11.2h7${circle(10.7, 4.8, 1.5)}${circle(5.3, 11.2, 1.5)}`,
  },
  search: { line: `${circle(7, 7, 4.3)}M10.3 10.3l3.2 3.2` },
  person: { line: `${circle(8, 5.4, 2.6)}M3 13.4c.5-2.6 2.4-3.9 5-3.9s4.5 1.3 5 3.9` },
  sun: {
    line: `${circle(8, 8, 2.7)}M8 1.7v1.5M8 12.8v1.5M1.7 8h1.5M12.8 8h1.5M3.5 3.5l1.1 1.1M11.4 11.4l1.1 1.1M3.5 12.5l1.1-1.1M11.4 4.6l1.1-1.1`,
  },
  menu: { line: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11' },
  down: { line: 'm4.5 6.5 3.5 3.5 3.5-3.5' },
  right: { line: 'm6.5 4.5 3.5 3.5-3.5 3.5' },
  left: { line: 'M9.5 4.5 6 8l3.5 3.5' },
  copy: { line: 'M5.5 5.5h7.7v7.7H5.5zM3.3 10.5h-.5V2.8h7.7v.5' },
  check: { line: 'm3.2 8.4 3.2 3.2 6.4-7' },
  cross: { line: 'm4 4 8 8M12 4l-8 8' },
  plus: { line: 'M8 3v10M3 8h10' },
  eye: {
    line: `M1.8 8S4 3.9 8 3.9 14.2 8 14.2 8 12 12.1 8 12.1 1.8 8 1.8 8z${circle(8, 8, 1.9)}`,
  },
  'eye-off': {
    line: 'm3 2.6 10 10.8M9.4 9.3a1.9 1.9 0 0 1-2.7-2.7M4.7 4.6C2.7 5.8 1.8 8 1.8 8S4 12.1 8 12.1c1.2 0 2.2-.3 3-.8M7 4c.3-.1.7-.1 1-.1 4 0 6.2 4.1 6.2 4.1s-.5 1-1.4 2',
  },
  success: { fill: circle(8, 8, 4.6) },
  failed: { line: 'm4.2 4.2 7.6 7.6M11.8 4.2l-7.6 7.6', width: 2.2 },
  retrying: { line: 'M12.6 8a4.6 4.6 0 1 1-1.4-3.3M12.7 2.3v2.8H9.9', width: 1.8 },
  processing: { line: circle(8, 8, 4.6), width: 1.8, fill: 'M8 3.4a4.6 4.6 0 0 0 0 9.2z' },
  pending: { line: circle(8, 8, 4.4), width: 1.8 },
  paused: { line: 'M5.6 4v8M10.4 4v8', width: 2.2 },
  muted: { fill: moon },
} satisfies Record<string, Drawing>;

export type GlyphName = keyof typeof drawings;

export function Glyph({ name, size = 16 }: { name: GlyphName; size?: number }) {
  const { line, width = 1.5, fill }: Drawing = drawings[name];
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
      focusable="false"
      style={{ flex: 'none' }}
    >
      {line ? (
        <path
          d={line}
          fill="none"
          stroke="currentColor"
          strokeWidth={width}
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      ) : null}
      {fill ? <path d={fill} fill="currentColor" /> : null}
    </svg>
  );
}
