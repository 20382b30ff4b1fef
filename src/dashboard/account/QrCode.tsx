import { encodeQr } from '#domain/qr-code';

/** How many modules around a code stay light, so that cameras find it. */
const quiet = 4;

/** A text as a QR code. It is dark on light in either theme, because some cameras cannot read the reverse. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const rows = encodeQr(text);
  if (rows === null) return null;
  const size = rows.length + 2 * quiet;
  const path = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x + quiet} ${y + quiet}h1v1h-1z`] : [])),
  );
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={200}
      height={200}
      shapeRendering="crispEdges"
      style={{ display: 'block', maxWidth: '100%' }}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path.join('')} fill="#000" />
    </svg>
  );
}
