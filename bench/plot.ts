const ROW = 34;
const LEFT = 170;
const WIDTH = 720;
const BAR = WIDTH - LEFT - 60;

/** A bar chart as an SVG that is readable on light and dark pages. */
export function drawBars(title: string, bars: readonly { name: string; value: number }[]): string {
  const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const height = 44 + bars.length * ROW;
  const rows = bars.map(({ name, value }, n) => {
    const y = 44 + n * ROW;
    const width = (BAR * value) / most;
    const shade = name.startsWith('Belfry') ? '#b4541a' : '#8a8f98';
    return [
      `<text x="${LEFT - 10}" y="${y + 16}" text-anchor="end">${escapeText(name)}</text>`,
      `<rect x="${LEFT}" y="${y}" width="${width.toFixed(1)}" height="22" rx="3" fill="${shade}"/>`,
      `<text x="${(LEFT + width + 8).toFixed(1)}" y="${y + 16}">${value.toFixed(2)}</text>`,
    ].join('\n  ');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeText(title)}">
  <style>text { font: 14px system-ui, sans-serif; fill: #24292f } @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }</style>
  <text x="0" y="20" font-weight="600">${escapeText(title)}</text>
  ${rows.join('\n  ')}
</svg>
`;
}

export interface Panel {
  title: string;
  lines: readonly { name: string; points: readonly { x: number; y: number }[] }[];
}

const PANEL = 130;
const SHADES = ['#b4541a', '#2f6fb4'];

/** Panels below each other over the same time, each with its own scale from zero. */
export function drawLines(title: string, panels: readonly Panel[]): string {
  const names = panels[0]?.lines.map(({ name }) => name) ?? [];
  const legend = names.map(
    (name, n) =>
      `<text x="${WIDTH - 180 + n * 90}" y="20" style="fill: ${SHADES[n]}">${escapeText(name)}</text>`,
  );
  const drawn = panels.map((panel, n) => drawPanel(panel, 40 + n * PANEL));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${40 + panels.length * PANEL}" role="img" aria-label="${escapeText(title)}">
  <style>text { font: 13px system-ui, sans-serif; fill: #24292f } @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }</style>
  <text x="0" y="20" font-weight="600">${escapeText(title)}</text>
  ${[...legend, ...drawn].join('\n  ')}
</svg>
`;
}

function drawPanel({ title, lines }: Panel, top: number): string {
  const [left, right, bottom] = [60, WIDTH - 10, top + PANEL - 20];
  const points = lines.flatMap((line) => line.points);
  const mostX = Math.max(...points.map(({ x }) => x));
  const mostY = Math.max(...points.map(({ y }) => y), Number.MIN_VALUE);
  const place = ({ x, y }: { x: number; y: number }) => {
    const across = left + ((right - left) * x) / mostX;
    return `${across.toFixed(1)},${(bottom - ((bottom - top - 20) * y) / mostY).toFixed(1)}`;
  };
  return [
    `<text x="${left}" y="${top + 12}">${escapeText(title)}</text>`,
    `<text x="${left - 8}" y="${top + 26}" text-anchor="end">${Math.round(mostY).toLocaleString('en-US')}</text>`,
    `<text x="${left - 8}" y="${bottom}" text-anchor="end">0</text>`,
    `<text x="${right}" y="${bottom + 14}" text-anchor="end">${mostX.toFixed(0)} min</text>`,
    `<line x1="${left}" y1="${bottom}" x2="${right}" y2="${bottom}" stroke="#8a8f98"/>`,
    ...lines.map(
      (line, n) =>
        `<polyline fill="none" stroke="${SHADES[n]}" stroke-width="1.5" points="${line.points.map(place).join(' ')}"/>`,
    ),
  ].join('\n  ');
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
