/** `2026-11-21 09:05:07 UTC` */
export function formatUtc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
