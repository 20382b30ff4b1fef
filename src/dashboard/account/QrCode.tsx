import encodeQr from 'qr';

/** Light modules around the code, so that cameras find it. */
const quiet = 4;

/** Dark on light in both themes: some cameras can't read the reverse. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const rows = encodeQr(text, 'raw', { ecc: 'low', border: quiet });
  const path = rows.flatMap((row, y) =>
    row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      width={200}
      height={200}
      shapeRendering="crispEdges"
      style={{ display: 'block', maxWidth: '100%' }}
    >
      <rect width={rows.length} height={rows.length} fill="#fff" />
      <path d={path.join('')} fill="#000" />
    </svg>
  );
}
