/** `21 Nov 09:05`, by the clocks of a zone. */
export function formatShort(at: number, timeZone = 'UTC'): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return format.format(at).replace(',', '');
}
