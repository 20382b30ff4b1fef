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

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
