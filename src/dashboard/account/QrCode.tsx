import encodeQr from 'qr';

/** How many modules around a code stay light, so that cameras find it. */
const quiet = 4;

/** A text as a QR code. It is dark on light in either theme, because some cameras cannot read the reverse. */
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
